import { describe, expect, it } from 'vitest'
import { keyName } from '#renderer/ui/controls/use-keys.ts'

const press = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey', boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
})

describe('the name of a key press', () => {
  it('is the character, whichever keys were held to type it', () => {
    expect(keyName(press('?'), false)).toBe('?')
    expect(keyName(press('ArrowLeft'), false)).toBe('ArrowLeft')
  })

  it('says Mod for Ctrl, and for ⌘ on a Mac', () => {
    expect(keyName(press('K', { ctrlKey: true }), false)).toBe('Mod+k')
    expect(keyName(press('k', { metaKey: true }), true)).toBe('Mod+k')
  })

  it('differs for combinations that belong to the operating system', () => {
    expect(keyName(press('g', { metaKey: true }), false)).toBe('Other+g')
    expect(keyName(press('1', { altKey: true }), false)).toBe('Alt+1')
  })
})
