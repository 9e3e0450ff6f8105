/** An Electron function that the stand-in lacks fails loudly, so that no test passes on a pretence. */
export function notHere(name) {
  throw new Error(`The Electron stand-in has no ${name}. See test/standin/README.md.`)
}

/** An event that a listener may prevent. */
export const preventable = (details = {}) => ({
  ...details,
  defaultPrevented: false,
  preventDefault() {
    this.defaultPrevented = true
  },
})
