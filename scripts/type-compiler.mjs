// The compiler that checks types, for `npm run types`, the build and tests.
import { availableParallelism } from 'node:os'
import { inProject } from './project.mjs'
import { AT_ONCE } from './run-checks.mjs'

/**
 * What a checker finds out about a type no other one knows: four of them, the default, take 60 % more processor time than
 * one. https://github.com/microsoft/typescript-go
 */
const checkers = Math.max(1, Math.floor(availableParallelism() / AT_ONCE))

/** The program for `node` and its first options. */
export const typeCompiler = [inProject('node_modules/typescript/bin/tsc'), '--checkers', String(checkers)]
