#!/usr/bin/env bash
# @vscode/tree-sitter-wasm 0.3.1: what its grammars do not know of the languages that they are for, some of it for years.
#
# Expected: valid source code has a tree without errors. Seen: a media query with a range (`width >= 400px`, in browsers
# since 2022), variance of type parameters (TypeScript 4.7, 2022), collections as `params` (C# 13) and extension members
# (C# 14), defaults of type parameters (Python 3.13), safe functions in an `unsafe extern` block (Rust 1.82) and imports of
# modules (Java 25) are errors. Whoever lists the declarations of a file from its tree has to expect them in sound files.
# Each language has one line of older syntax beside them, which has no errors.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes > /dev/null
npm install --silent --no-audit --no-fund @vscode/tree-sitter-wasm@0.3.1
cat > parse.mjs <<'SCRIPT'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
const require = createRequire(import.meta.url)
const folder = join(dirname(require.resolve('@vscode/tree-sitter-wasm/package.json')), 'wasm')
const { Language, Parser } = require(join(folder, 'tree-sitter.js'))
await Parser.init()
const texts = {
  css: ['@media (min-width: 400px) { a { color: red } }', '@media (width >= 400px) { a { color: red } }'],
  typescript: ['interface A<T> { b: T }', 'interface A<in out T> { b: T }'],
  'c-sharp': [
    'class A { void F(params int[] x) {} }',
    'class A { void F(params List<int> x) {} }',
    'static class E { extension(string s) { public int L => s.Length; } }',
  ],
  python: ['class A[T]: pass\n', 'class A[T = int]: pass\n'],
  rust: ['unsafe extern "C" { fn f(); }', 'unsafe extern "C" { safe fn f(); }'],
  java: ['import java.util.List;', 'import module java.base;'],
}
for (const [name, list] of Object.entries(texts)) {
  const parser = new Parser()
  parser.setLanguage(await Language.load(join(folder, `tree-sitter-${name}.wasm`)))
  for (const text of list) console.log(`${parser.parse(text).rootNode.hasError ? 'error' : 'sound'}  ${text.trim()}`)
}
SCRIPT
node parse.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
sound  @media (min-width: 400px) { a { color: red } }
error  @media (width >= 400px) { a { color: red } }
sound  interface A<T> { b: T }
error  interface A<in out T> { b: T }
sound  class A { void F(params int[] x) {} }
error  class A { void F(params List<int> x) {} }
error  static class E { extension(string s) { public int L => s.Length; } }
sound  class A[T]: pass
error  class A[T = int]: pass
sound  unsafe extern "C" { fn f(); }
error  unsafe extern "C" { safe fn f(); }
sound  import java.util.List;
error  import module java.base;
EXPECTED
echo 'As when it was found.'
