type Tool = { readonly name: string; readonly args: readonly string[] }

export function readImports(outputType: 'err-long' | 'json'): readonly string[]
export function findUnused(folder?: string): readonly string[]
export const LINT_TOOLS: readonly Tool[]
