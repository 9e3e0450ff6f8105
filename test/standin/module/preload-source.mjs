// Turns the functions of `page/` and the app's preload script into text for Chromium.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { makeBridgePeer } from '../page/bridge-peer.mjs'
import { makeCodec } from '../page/codec.mjs'
import { runInMainWorld } from '../page/main-world.mjs'
import { runInPreloadWorld } from '../page/preload-world.mjs'

/** The name of the world in which Electron runs preload scripts, too. */
export const ISOLATED_WORLD = 'Electron Isolated Context'

/** Preloads run in the top frame of a loaded page, neither in frames nor in the blank page before it. */
const WHERE = `if (location.href !== 'about:blank' && window === window.top)`

export const mainWorldSource = () => `${WHERE} (${runInMainWorld})(${makeCodec}, ${makeBridgePeer})`

/** The preload script with its surroundings. */
export function preloadWorldSource(file, additionalArguments = []) {
  const { platform, arch, versions } = process
  const facts = JSON.stringify({ platform, arch, versions, argv: additionalArguments })
  const preload = `function (require, module, exports, process) {\n${readFileSync(file, 'utf8')}\n}`
  const call = `(${runInPreloadWorld})(${makeCodec}, ${makeBridgePeer}, ${preload}, ${facts})`
  return `${WHERE} ${call}\n//# sourceURL=${pathToFileURL(file)}`
}
