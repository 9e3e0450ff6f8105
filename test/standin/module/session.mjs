import { EventEmitter } from 'node:events'
import { notHere } from './not-here.mjs'

/** Remembers the app's permission handlers, so that a test can ask them; Chromium does not. */
class Session extends EventEmitter {
  permissionRequestHandler
  permissionCheckHandler

  setPermissionRequestHandler(handler) {
    this.permissionRequestHandler = handler
  }

  setPermissionCheckHandler(handler) {
    this.permissionCheckHandler = handler
  }

  setDevicePermissionHandler() {}
  setSpellCheckerEnabled() {}
  clearCache = async () => undefined
  clearStorageData = async () => undefined

  get webRequest() {
    return notHere('session.webRequest')
  }
}

export const session = { defaultSession: new Session(), fromPartition: () => notHere('session.fromPartition') }
