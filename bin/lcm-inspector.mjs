#!/usr/bin/env node
import { existsSync } from 'node:fs'
import { start } from './start-command.mjs'

// `lcm-inspector [FILE]` is `lcm open [FILE]`; a command of `lcm` works here too.
const first = process.argv[2]
const isCommand = first !== undefined && /^[a-z]+(?:-[a-z]+)*$/.test(first) && !existsSync(first)
if (!isCommand && first !== '--version') process.argv.splice(2, 0, 'open')
await start()
