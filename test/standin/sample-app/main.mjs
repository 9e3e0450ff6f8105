// The smallest app that uses what the stand-in plays; it runs in real Electron as well.
import { join } from 'node:path'
import { app, BrowserWindow, dialog, ipcMain, Menu, MessageChannelMain, nativeTheme, protocol, shell } from 'electron'

const page = `<!doctype html><title>Sample page</title>
<a id="leave" href="https://example.org/">leave</a> <a id="popup" target="_blank" href="https://example.org/popup">popup</a>
<p id="text"></p><script src="/page.js"></script>`
// It runs before any listener of a test could be there, so what it finds is what a page finds first.
const script = `document.getElementById('text').textContent = typeof bridge.echo
window.ports = new Promise((resolve) => addEventListener('message', (event) => event.ports[0] && resolve(event.ports)))`
const headers = { 'content-security-policy': "default-src 'none'; script-src 'self'" }
const served = {
  '/': () => new Response(page, { headers: { ...headers, 'content-type': 'text/html' } }),
  '/page.js': () => new Response(script, { headers: { 'content-type': 'text/javascript' } }),
}

protocol.registerSchemesAsPrivileged([{ scheme: 'sample', privileges: { standard: true, secure: true } }])
globalThis.seen = { args: process.argv.slice(2), portMessages: [], portClosed: 0, refused: [], events: [] }

ipcMain.handle('echo', (_event, value) => value)
ipcMain.handle('fail', () => {
  throw new RangeError('out of range')
})
ipcMain.handle('who', ({ sender, senderFrame }) => ({
  url: senderFrame.url,
  origin: senderFrame.origin,
  isMainFrame: senderFrame === sender.mainFrame,
}))
ipcMain.handle('choose', async () => (await dialog.showOpenDialog({ properties: ['openFile'] })).filePaths)
ipcMain.on('connect', ({ sender }) => {
  const { port1, port2 } = new MessageChannelMain()
  port1.on('message', ({ data }) => {
    globalThis.seen.portMessages.push(data)
    port1.postMessage({ answerTo: data })
  })
  port1.on('close', () => globalThis.seen.portClosed++)
  port1.postMessage('before the page has the port')
  port1.start()
  sender.postMessage('port', null, [port2])
})
ipcMain.on('give', ({ ports: [port] }) => {
  port.on('message', ({ data }) => port.postMessage(data * 2))
  port.start()
})

await_ready()
async function await_ready() {
  await app.whenReady()
  protocol.handle('sample', (request) => (served[new URL(request.url).pathname] ?? notFound)())
  nativeTheme.themeSource = 'dark'
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      {
        label: 'File',
        submenu: [{ id: 'open', label: 'Open', click: (_item, window) => window.webContents.send('menu', 'open') }],
      },
    ]),
  )
  const window = new BrowserWindow({
    width: 1000,
    height: 700,
    show: false,
    webPreferences: { preload: join(import.meta.dirname, 'preload.cjs'), sandbox: true, contextIsolation: true },
  })
  window.once('ready-to-show', () => window.show())
  window.webContents.setWindowOpenHandler(({ url }) => {
    void shell.openExternal(url)
    return { action: 'deny' }
  })
  window.webContents.on('will-navigate', (event, url) => {
    event.preventDefault()
    globalThis.seen.refused.push(url)
  })
  window.loadURL('sample://bundle/')
}

function notFound() {
  return new Response('not found', { status: 404 })
}
