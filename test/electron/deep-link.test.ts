import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileFromArguments } from '#electron/main/arguments.ts'
import { LINK_VIEWS, linkFromArguments, parseLink } from '#electron/main/deep-link.ts'
import { parseRoute } from '#renderer/routes.ts'
import { VIEWS } from '#renderer/views.ts'
import { temporaryFolder } from '../builders/temporary-folder.ts'

const folder = temporaryFolder()
const file = join(folder, 'a memory & more.db')
writeFileSync(file, 'memory')
/** Its name is shown as if its end stood before `bd.txt`. */
const turned = join(folder, 'memory\u202etxt.db')
writeFileSync(turned, 'memory')

const linkTo = (params: Readonly<Record<string, string>>): string =>
  `lcm-inspector://open?${new URLSearchParams(params)}`

describe('a link', () => {
  it('leads to an existing file and to an address that the window reads', () => {
    const target = parseLink(linkTo({ file, conversation: '12', view: 'messages', select: 'msg_3' }))
    expect(target).toEqual({ file, hash: '#/conversation/12/messages?select=msg_3' })
    expect(parseRoute('hash' in target ? target.hash : '')).toMatchObject({
      conversationId: 12,
      view: 'messages',
      selection: 'msg_3',
    })
    expect(parseLink(linkTo({ file }))).toEqual({ file, hash: '#/start' })
  })

  it('leads to views that the window has', () => {
    expect(LINK_VIEWS.filter((view) => !VIEWS.includes(view))).toEqual([])
  })

  it.each([
    ['a relative path', linkTo({ file: 'lcm.db' })],
    ['no file', 'lcm-inspector://open'],
    ['a file that is not there', linkTo({ file: join(folder, 'none.db') })],
    ['a folder', linkTo({ file: folder })],
    ['a file whose name is shown turned around', linkTo({ file: turned })],
    ['a device', linkTo({ file: '/dev/zero' })],
    ['the address of a database', linkTo({ file: 'postgres://host/db' })],
    ['another action', `lcm-inspector://delete?${new URLSearchParams({ file })}`],
    ['another scheme', `https://open?${new URLSearchParams({ file })}`],
    ['a view that changes something', linkTo({ file, view: 'sql' })],
    ['a parameter that means nothing', linkTo({ file, newer: '1' })],
    ['two files', `${linkTo({ file })}&${new URLSearchParams({ file: '/etc/passwd' })}`],
    ['a conversation that is no number', linkTo({ file, conversation: '1/../..' })],
    ['a selection that is no id', linkTo({ file, select: '<script>' })],
    ['a fragment', `${linkTo({ file })}#/sql`],
  ])('is refused with %s', (_what, link) => {
    expect(parseLink(link)).toEqual({ refused: expect.stringMatching(/\.$/) })
  })

  it('leads nowhere but to a file that is there and a view that only shows, whatever it says (property)', () => {
    const part = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(file, folder, 'file', '..', '/', '\\\\server\\share', '%00', '&', '#/sql', 'javascript:alert(1)'),
    )
    const param = fc.tuple(fc.constantFrom('file', 'view', 'conversation', 'select', 'newer'), part)
    const link = fc.oneof(
      part,
      fc.tuple(part, part).map(([host, rest]) => `lcm-inspector://${host}?${rest}`),
      fc.array(param).map((params) => `lcm-inspector://open?${new URLSearchParams(params)}`),
      fc.array(param).map((params) => `lcm-inspector://open?${params.map((one) => one.join('=')).join('&')}`),
    )
    fc.assert(
      fc.property(link, (hostile) => {
        const target = parseLink(hostile)
        if ('refused' in target) return
        expect(target.file).toBe(file)
        expect(target.hash).toMatch(
          /^#(?:\/conversation\/\d+)?\/(?:start|find|messages|window|layers|health)(?:\?select=[\w.%-]+)?$/,
        )
      }),
    )
  })
})

describe('the link on a command line', () => {
  it('is found behind switches, and is never taken for a file', () => {
    const argv = ['/opt/app', '--no-sandbox', '--', 'LCM-Inspector://open?file=/x']
    expect(linkFromArguments(argv)).toBe('LCM-Inspector://open?file=/x')
    expect(fileFromArguments(argv, folder, true)).toBeNull()
    expect(linkFromArguments(['/opt/app', '/a/lcm.db'])).toBeNull()
  })
})
