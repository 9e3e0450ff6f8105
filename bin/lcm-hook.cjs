#!/usr/bin/env node
// What hooks of agents start. Whatever happens here, the agent goes on.
try {
  require('../out/main/hook.cjs')
} catch {
  // The program is not built.
}
