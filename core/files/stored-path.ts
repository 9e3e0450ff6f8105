import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { sep } from 'node:path'

/** The real path of a plain file that lies in a folder, or null. No link leads out of the folder. */
export function fileWithin(path: string, root: string): string | null {
  try {
    const real = realpathSync(path)
    return real.startsWith(realpathSync(root) + sep) && statSync(real).isFile() ? real : null
  } catch {
    // It is not there, or it may not be looked at.
    return null
  }
}

const PIECE_BYTES = 1 << 20

/**
 * Opens a plain file whose links were followed before. What has become a link, a device or a pipe meanwhile is refused.
 * Whoever calls closes it.
 */
export function openPlainFile(realPath: string): number {
  const file = openSync(realPath, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw Object.assign(new Error(`${realPath} is no file`), { code: 'EINVAL', syscall: 'open' })
}

/** The bytes of a file from an offset on, a piece at a time. Each piece is a buffer of its own. */
export function* filePieces(realPath: string, from = 0, pieceBytes = PIECE_BYTES): Generator<Uint8Array> {
  const file = openPlainFile(realPath)
  try {
    for (let offset = from; ; ) {
      const piece = Buffer.allocUnsafe(pieceBytes)
      const length = readSync(file, piece, 0, pieceBytes, offset)
      if (length === 0) return
      offset += length
      yield piece.subarray(0, length)
    }
  } finally {
    closeSync(file)
  }
}
