// Writes the SHA-256 sums of the packages in release/, as `sha256sum --check` reads them: `npm run checksums`.
import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { inProject, main, Refusal } from './project.mjs'

/** As GitHub names the systems of its machines. */
const SYSTEMS = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' }

await main(async () => {
  const folder = process.argv[2] ?? inProject('release')
  const names = readdirSync(folder).filter((name) => /\.(?:AppImage|deb|rpm|dmg|zip|exe)$/.test(name))
  if (names.length === 0) throw new Refusal(`there is no package in ${folder}: run "npm run package" first.`)
  const lines = []
  for (const name of names.sort()) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(folder, name)), hash)
    lines.push(`${hash.digest('hex')}  ${name}\n`)
  }
  writeFileSync(join(folder, `SHA256SUMS-${SYSTEMS[process.platform]}.txt`), lines.join(''))
})
