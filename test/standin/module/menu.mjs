// Menus as data: a test finds an item by id and clicks it. Accelerators and native menus are not played.
import { app } from './app.mjs'
import { BrowserWindow } from './browser-window.mjs'

/** As in Electron; `click()` calls the app's handler with the focused window. */
export class MenuItem {
  constructor(options, menu) {
    Object.assign(this, { enabled: true, visible: true, checked: false, type: 'normal', menu }, options)
    if (Array.isArray(options.submenu)) this.submenu = Menu.buildFromTemplate(options.submenu)
    if (this.submenu) this.type = 'submenu'
    this.click = (event = {}, window = BrowserWindow.getFocusedWindow()) => {
      if (this.type === 'checkbox') this.checked = !this.checked
      if (options.click) options.click(this, window, event)
      else if (options.role === 'quit') app.quit()
      else if (options.role === 'close') window?.close()
      else if (options.role === 'reload') window?.reload()
    }
  }
}

/** As in Electron. */
export class Menu {
  items = []
  static #applicationMenu = null

  static buildFromTemplate(template) {
    const menu = new Menu()
    for (const item of template) menu.append(item instanceof MenuItem ? item : new MenuItem(item, menu))
    return menu
  }

  static setApplicationMenu(menu) {
    Menu.#applicationMenu = menu
  }

  static getApplicationMenu() {
    return Menu.#applicationMenu
  }

  append(item) {
    this.items.push(item)
  }

  insert(position, item) {
    this.items.splice(position, 0, item)
  }

  getMenuItemById(id) {
    for (const item of this.items) {
      const found = item.id === id ? item : item.submenu?.getMenuItemById(id)
      if (found) return found
    }
    return null
  }

  popup() {}
  closePopup() {}
}
