#!/usr/bin/env node
// What hooks of agents start. Whatever happens here, the agent goes on.
try {
  await import('../out/main/hook.js')
} catch {
  // The program is not built.
}
