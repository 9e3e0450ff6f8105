#!/usr/bin/env node
import { start } from './start-command.mjs'

await start()
