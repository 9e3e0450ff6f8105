export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number }
export type Row = Counts & { readonly name: string; readonly seconds: number }
export function stepCounts(code: number): Counts
export function vitestCounts(file: string, code: number): Counts
export function playwrightCounts(file: string, code: number): Counts
export const MOST_FLAKY: number
export function flakyTests(file: string): string[]
export function readCounts(line: string, code: number): Counts
export function sum(rows: readonly Counts[]): Counts
export const MOST_SKIPPED: number
export function limitSkips(total: Counts): Counts
export function table(rows: readonly Row[]): string
