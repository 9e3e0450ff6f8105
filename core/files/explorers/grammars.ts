import type * as TreeSitter from '@vscode/tree-sitter-wasm'
import { LcmError } from '#core/errors.ts'
import { packageBytes, packagePath, requirePackage } from '#core/packages.ts'
import type { FileType } from './file-type.ts'

/** A grammar of the package: its parser and the words that its trees use. */
type Grammar = {
  /** Nodes that define something that is called. */
  readonly functions: readonly string[]
  /** Nodes that define a class or a type; members are looked for within them. */
  readonly types: readonly string[]
  /** Nodes that define a value. */
  readonly constants: readonly string[]
  readonly imports: readonly string[]
  /** Nodes without a name of their own, within which definitions stand. */
  readonly through: readonly string[]
}
export type LoadedGrammar = Grammar & { readonly newParser: () => TreeSitter.Parser }

const SCRIPT: Grammar = {
  functions: [
    'function_declaration',
    'generator_function_declaration',
    'function_signature',
    'method_definition',
    'abstract_method_signature',
    'method_signature',
  ],
  types: [
    'class_declaration',
    'abstract_class_declaration',
    'interface_declaration',
    'type_alias_declaration',
    'enum_declaration',
    'internal_module',
    'module',
  ],
  constants: ['variable_declarator'],
  imports: ['import_statement'],
  through: [
    'program',
    'export_statement',
    'ambient_declaration',
    'lexical_declaration',
    'variable_declaration',
    'class_body',
    'statement_block',
    'expression_statement',
  ],
}

const GRAMMARS: { readonly [type in FileType]?: { readonly file: string; readonly grammar: Grammar } } = {
  typescript: { file: 'typescript', grammar: SCRIPT },
  javascript: { file: 'javascript', grammar: SCRIPT },
  python: {
    file: 'python',
    grammar: {
      functions: ['function_definition'],
      types: ['class_definition'],
      constants: ['assignment'],
      imports: ['import_statement', 'import_from_statement'],
      through: ['module', 'decorated_definition', 'block', 'if_statement', 'try_statement', 'expression_statement'],
    },
  },
  rust: {
    file: 'rust',
    grammar: {
      functions: ['function_item', 'function_signature_item', 'macro_definition'],
      types: ['struct_item', 'enum_item', 'union_item', 'trait_item', 'impl_item', 'type_item', 'mod_item'],
      constants: ['const_item', 'static_item'],
      imports: ['use_declaration'],
      through: ['source_file', 'declaration_list', 'foreign_mod_item'],
    },
  },
  go: {
    file: 'go',
    grammar: {
      functions: ['function_declaration', 'method_declaration'],
      types: ['type_spec', 'type_alias'],
      constants: ['const_spec', 'var_spec'],
      imports: ['import_spec'],
      through: [
        'source_file',
        'type_declaration',
        'const_declaration',
        'var_declaration',
        'var_spec_list',
        'import_declaration',
        'import_spec_list',
      ],
    },
  },
  java: {
    file: 'java',
    grammar: {
      functions: ['method_declaration', 'constructor_declaration', 'annotation_type_element_declaration'],
      types: [
        'class_declaration',
        'interface_declaration',
        'enum_declaration',
        'record_declaration',
        'annotation_type_declaration',
      ],
      constants: [],
      imports: ['import_declaration'],
      through: [
        'program',
        'class_body',
        'interface_body',
        'enum_body',
        'enum_body_declarations',
        'annotation_type_body',
      ],
    },
  },
  cpp: {
    file: 'cpp',
    grammar: {
      functions: ['function_definition', 'declaration', 'field_declaration', 'preproc_function_def'],
      types: [
        'class_specifier',
        'struct_specifier',
        'union_specifier',
        'enum_specifier',
        'type_definition',
        'alias_declaration',
        'namespace_definition',
        'concept_definition',
      ],
      constants: ['preproc_def'],
      imports: ['preproc_include'],
      through: [
        'translation_unit',
        'declaration_list',
        'field_declaration_list',
        'template_declaration',
        'linkage_specification',
        'preproc_if',
        'preproc_ifdef',
        'preproc_else',
        'preproc_elif',
      ],
    },
  },
  csharp: {
    file: 'c-sharp',
    grammar: {
      functions: ['method_declaration', 'constructor_declaration', 'property_declaration', 'local_function_statement'],
      types: [
        'class_declaration',
        'interface_declaration',
        'struct_declaration',
        'record_declaration',
        'enum_declaration',
        'delegate_declaration',
      ],
      constants: [],
      imports: ['using_directive'],
      through: [
        'compilation_unit',
        'namespace_declaration',
        'file_scoped_namespace_declaration',
        'declaration_list',
        'global_statement',
      ],
    },
  },
  ruby: {
    file: 'ruby',
    grammar: {
      functions: ['method', 'singleton_method'],
      types: ['class', 'module'],
      constants: ['assignment'],
      imports: ['call'],
      through: ['program', 'body_statement', 'singleton_class'],
    },
  },
  php: {
    file: 'php',
    grammar: {
      functions: ['function_definition', 'method_declaration'],
      types: ['class_declaration', 'interface_declaration', 'trait_declaration', 'enum_declaration'],
      constants: ['const_element'],
      imports: ['namespace_use_clause'],
      through: [
        'program',
        'declaration_list',
        'enum_declaration_list',
        'namespace_definition',
        'compound_statement',
        'const_declaration',
        'namespace_use_declaration',
      ],
    },
  },
  shell: {
    file: 'bash',
    grammar: {
      functions: ['function_definition'],
      types: [],
      constants: ['variable_assignment'],
      imports: [],
      through: ['program', 'declaration_command'],
    },
  },
}

const PACKAGE = '@vscode/tree-sitter-wasm/wasm'

let runtime: Promise<typeof TreeSitter> | null = null
const languages = new Map<string, Promise<TreeSitter.Language>>()

/**
 * Loads the grammar of a language, or returns null when there is none for this type. What was loaded stays: a grammar
 * is compiled once.
 */
export async function loadGrammar(type: FileType, name: string | null): Promise<LoadedGrammar | null> {
  const known = GRAMMARS[type === 'c' ? 'cpp' : type]
  if (known === undefined) return null
  const file = type === 'typescript' && name?.toLowerCase().endsWith('.tsx') ? 'tsx' : known.file
  try {
    runtime ??= startRuntime()
    const { Parser, Language } = await runtime
    const loading = languages.get(file) ?? Language.load(packageBytes(`${PACKAGE}/tree-sitter-${file}.wasm`))
    languages.set(file, loading)
    const language = await loading
    return { ...known.grammar, newParser: () => new Parser().setLanguage(language) }
  } catch (error) {
    runtime = null
    languages.delete(file)
    throw new LcmError(
      'unsupported',
      `The grammar ${file} cannot be loaded: install the program again.`,
      { grammar: file },
      { cause: error },
    )
  }
}

/** The package is required when it is needed. */
async function startRuntime(): Promise<typeof TreeSitter> {
  const package_ = requirePackage(`${PACKAGE}/tree-sitter.js`) as typeof TreeSitter
  await package_.Parser.init({ locateFile: () => packagePath(`${PACKAGE}/tree-sitter.wasm`) })
  return package_
}
