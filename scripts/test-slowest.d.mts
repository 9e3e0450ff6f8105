export type TimedFile = { readonly file: string; readonly seconds: number }
export function vitestFiles(file: string, root: string): TimedFile[]
export function playwrightFiles(file: string): TimedFile[]
export function slowest(files: readonly TimedFile[]): string
