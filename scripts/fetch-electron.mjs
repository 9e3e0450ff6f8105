// Fetches the binary of Electron, which its npm package downloads on first use: `npm run fetch:electron`.
import { fetchElectron, findElectron } from './electron-binary.mjs'
import { main, Refusal } from './project.mjs'

await main(async () => {
  if (findElectron() === undefined && (await fetchElectron()) === undefined)
    throw new Refusal('Electron could not be fetched: its download needs github.com.')
})
