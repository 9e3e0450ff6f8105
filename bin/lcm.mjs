#!/usr/bin/env node
import { start } from './start-installed.mjs'

start()
