import { resolve } from 'node:path'

const LINK_SCHEME = 'lcm-inspector://'

/** The file that was named on the command line, absolute; null when none was. Switches are Chromium's, not ours. */
export function fileFromArguments(args: readonly string[], workingDirectory: string): string | null {
  const named = args.find((arg) => !arg.startsWith('-') && !arg.startsWith(LINK_SCHEME))
  return named === undefined ? null : resolve(workingDirectory, named)
}
