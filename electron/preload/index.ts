import { contextBridge, type IpcRendererEvent, ipcRenderer, webUtils } from 'electron'

/** Everything that the page can ask of its window. Paths are sent to the main process as text and checked there. */
const lcmHost = {
  kind: 'electron',
  pickMemory: (): Promise<string | null> => ipcRenderer.invoke('lcm:pick-memory'),
  pickTranscripts: (): Promise<string[]> => ipcRenderer.invoke('lcm:pick-transcripts'),
  openMemory: (path: string | null): void => ipcRenderer.send('lcm:open-memory', path, false),
  openNewerMemory: (path: string): void => ipcRenderer.send('lcm:open-memory', path, true),
  pathForFile: (file: File): string => webUtils.getPathForFile(file),
  onMenu: (listener: (command: string) => void): (() => void) => {
    const forward = (_event: IpcRendererEvent, command: string): void => listener(command)
    ipcRenderer.on('lcm:menu', forward)
    return () => {
      ipcRenderer.removeListener('lcm:menu', forward)
    }
  },
}
export type LcmHost = typeof lcmHost
contextBridge.exposeInMainWorld('lcmHost', lcmHost)

// A MessagePort cannot cross the context bridge, so it is passed by a message within the page.
ipcRenderer.on('lcm:port', (event) => window.postMessage('lcm:port', window.location.origin, event.ports))
window.addEventListener('message', (event) => {
  if (event.source === window && event.data === 'lcm:connect') ipcRenderer.send('lcm:connect')
})
