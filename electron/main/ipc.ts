import {
  BrowserWindow,
  dialog,
  type IpcMainEvent,
  type IpcMainInvokeEvent,
  ipcMain,
  MessageChannelMain,
} from 'electron'
import type { CoreHost } from '#core/doors/core-host.ts'
import { toErrorInfo } from '#core/errors.ts'
import { requireLocalPath } from '#core/local-path.ts'
import { BUNDLE_ORIGIN } from './bundle-protocol.ts'
import { relay } from './relay.ts'
import { show, shownIn } from './window.ts'

const LONGEST_PATH = 32_768

const MEMORY_FILTERS = [
  { name: 'LCM memory', extensions: ['db', 'sqlite', 'sqlite3'] },
  { name: 'All files', extensions: ['*'] },
]
const TRANSCRIPT_FILTERS = [
  { name: 'Transcripts', extensions: ['jsonl', 'json', 'md'] },
  { name: 'All files', extensions: ['*'] },
]

/** Handles the few calls that only the owner of the window can answer. All others go over the port to the core. */
export function handleWindowCalls(cores: CoreHost): void {
  ipcMain.on('lcm:connect', (event) => {
    if (isOurPage(event)) connect(cores, event.sender)
  })
  ipcMain.handle('lcm:pick-memory', async (event) => {
    const [picked] = await pick(event, { properties: ['openFile'], filters: MEMORY_FILTERS })
    return picked ?? null
  })
  ipcMain.handle('lcm:pick-transcripts', (event) =>
    pick(event, { properties: ['openFile', 'multiSelections'], filters: TRANSCRIPT_FILTERS }),
  )
  ipcMain.on('lcm:open-memory', (event, path: unknown, allowNewer: unknown) => {
    const window = BrowserWindow.fromWebContents(event.sender)
    if (!window || !isOurPage(event)) return
    const isPath = typeof path === 'string' && path.length > 0 && path.length < LONGEST_PATH
    if (path !== null && !(isPath && isLocal(path))) return
    show(window, { file: path, allowNewer: allowNewer === true })
  })
}

/** Tells the user why a path from the page is refused. */
function isLocal(path: string): boolean {
  try {
    requireLocalPath(path)
    return true
  } catch (error) {
    dialog.showErrorBox('This is no file of this machine', toErrorInfo(error).message)
    return false
  }
}

async function pick(event: IpcMainInvokeEvent, options: Electron.OpenDialogOptions): Promise<string[]> {
  const window = BrowserWindow.fromWebContents(event.sender)
  if (!window || !isOurPage(event)) return []
  const { canceled, filePaths } = await dialog.showOpenDialog(window, options)
  return canceled ? [] : filePaths
}

/** A message is accepted only from the top frame of our own page. */
function isOurPage(event: IpcMainEvent | IpcMainInvokeEvent): boolean {
  const frame = event.senderFrame
  return frame?.url.startsWith(`${BUNDLE_ORIGIN}/`) === true && (frame.parent ?? null) === null
}

function connect(cores: CoreHost, contents: Electron.WebContents): void {
  const { port1, port2 } = new MessageChannelMain()
  const { file, allowNewer = false } = shownIn(contents)
  relay(port1, cores.connect(file, allowNewer))
  contents.postMessage('lcm:port', null, [port2])
}
