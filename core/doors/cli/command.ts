import { type Command, Option } from 'commander'
import type { Answer } from './output.ts'
import { integer } from './parse.ts'

/** Makes a command with the options that all commands share. */
export type Define = (name: string, description: string) => Command
/** Sets what a command does. Its answer is printed, and its exit code is kept. */
export type Run = (command: Command, action: (...args: never[]) => Promise<Answer>) => void

export const MAX_ID = Number.MAX_SAFE_INTEGER

export const conversationOption = (): Option =>
  new Option('--conversation <id>', 'narrow to one conversation').argParser(integer(0, MAX_ID))
