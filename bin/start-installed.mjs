/** The oldest Node that the SQLite binding runs on; on an older one it crashes the process. */
const OLDEST_NODE = 24

/** Starts the packaged command, or says which Node it needs. */
export function start() {
  const major = Number(process.versions.node.split('.')[0])
  if (major >= OLDEST_NODE) {
    import('../out/main/cli.js')
    return
  }
  process.stderr.write(
    `lcm: unsupported_runtime: this is Node ${process.versions.node}, and LCM Inspector needs Node ${OLDEST_NODE} ` +
      'or newer. Install it from https://nodejs.org, or run: npx -p node@24 -p lcm-inspector lcm\n',
  )
  process.exitCode = 1
}
