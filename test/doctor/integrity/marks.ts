import Database from 'better-sqlite3'
import { type Landmarks, landmarksOf } from '#test/builders/systems/lossless-damage.ts'
import { temporaryFolder } from '#test/builders/temporary-folder.ts'
import { copyInto } from '#test/systems/foreign-files.ts'

/** The ids of a file of lossless-claw that damage is done to. */
export function marksOf(path: string): Landmarks {
  const db = new Database(copyInto(temporaryFolder(), path))
  try {
    return landmarksOf(db)
  } finally {
    db.close()
  }
}
