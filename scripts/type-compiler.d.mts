export declare const typeCompiler: readonly string[]
