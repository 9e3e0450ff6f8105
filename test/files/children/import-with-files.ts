// Imports a transcript in a process of its own, which is killed when so many files have got their places.
import { FileStore } from '#core/files/file-store.ts'
import { openNative } from '#core/sqlite/native.ts'
import { runImport } from '#test/builders/import.ts'
import { largeFiles } from '#test/builders/large-files.ts'

const [database = '', transcript = '', most = ''] = process.argv.slice(2)
let placed = 0
const { place } = FileStore.prototype
FileStore.prototype.place = function (...given) {
  const path = place.apply(this, given)
  placed += 1
  if (placed === Number(most)) process.kill(process.pid, 'SIGKILL')
  return path
}
await runImport(openNative(database), [transcript], {
  files: largeFiles(database, 300),
})
