const { contextBridge, ipcRenderer } = require('electron')

contextBridge.exposeInMainWorld('bridge', {
  platform: process.platform,
  echo: (value) => ipcRenderer.invoke('echo', value),
  fail: () => ipcRenderer.invoke('fail'),
  who: () => ipcRenderer.invoke('who'),
  choose: () => ipcRenderer.invoke('choose'),
  add: (one, other) => one + other,
  throwAtOnce: () => {
    throw new TypeError('at once')
  },
  onMenu: (listener) => {
    ipcRenderer.on('menu', (_event, command) => listener(command))
  },
  connect: () => ipcRenderer.send('connect'),
  give: () => {
    const { port1, port2 } = new MessageChannel()
    ipcRenderer.postMessage('give', null, [port1])
    window.postMessage('given', '*', [port2])
  },
})
ipcRenderer.on('port', (event) => window.postMessage('port', '*', event.ports))
globalThis.onlyInPreload = true
