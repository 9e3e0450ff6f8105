// What the pictures of views.e2e.ts show: every view, dialog and empty state, and what has to be done to see it.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { VIEWS } from '#renderer/views.ts'
import { TestMemory } from '../builders/memory.ts'
import { expect, fromMemoryMenu } from './app.ts'
import { loaded } from './axe.ts'
import { damageTable, sampleCopy, systemFile, turnTo } from './memories.ts'

const SUMMARY = 'sum_a6251754ec86ad4f'

/** What each view shows besides what it shows by itself. */
const SHOWN: Readonly<Record<string, string>> = {
  layers: `?select=${SUMMARY}`,
  messages: '?select=msg_6',
  find: '?query=idempotency%20key',
  compare: '?a=last',
}
/** A place of the window, and what has to be done to see it. */
export type Scene = {
  readonly name: string
  readonly hash: string
  readonly show?: (page: Page) => Promise<void>
  /** Writes the file that is opened for it into an empty folder, and returns its path. By default it is the sample. */
  readonly file?: (folder: string) => string
}

/** Every view, and the forms of the layers that look like views of their own. */
export const viewScenes = (conversationId: number): readonly Scene[] => [
  ...VIEWS.map((view) => ({ name: view, hash: `#/conversation/${conversationId}/${view}${SHOWN[view] ?? ''}` })),
  ...['graph', 'tree'].map((form) => ({
    name: form,
    hash: `#/conversation/${conversationId}/layers?layers.form=${form}&select=${SUMMARY}`,
  })),
]

const press =
  (name: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('main').getByRole('button', { name }).first().click()
    await expect(page.getByRole('dialog')).toBeVisible()
  }
const byKey =
  (key: string) =>
  async (page: Page): Promise<void> => {
    await page.keyboard.press(key)
    await expect(page.getByRole('dialog')).toBeVisible()
  }
const byPalette =
  (words: string) =>
  async (page: Page): Promise<void> => {
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByPlaceholder('View, action, conversation, or an id').fill(words)
    // Enter takes the first entry, which may be another one until the conversations are known.
    await expect(page.getByRole('option').first()).toContainText(words)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog').filter({ hasNot: page.getByRole('combobox') })).toBeVisible()
  }

/** Chooses an operation on the summary, once its detail is there. */
const operate =
  (name: RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: `Operate on ${SUMMARY}` }).click()
    await page.getByRole('menuitem', { name }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
  }

/** Shows what an operation would change. */
const previewed =
  (name: RegExp) =>
  async (page: Page): Promise<void> => {
    await operate(name)(page)
    const dialog = page.getByRole('dialog')
    // As many tokens as the text has would change nothing.
    const tokens = dialog.getByLabel('Tokens to aim at')
    if (await tokens.isVisible()) await tokens.fill('100')
    await dialog.getByRole('button', { name: 'Preview', exact: true }).click()
    await expect(dialog).toContainText('Exactly this is done')
  }

/** A sample with two faults that can be repaired from the file alone. */
function damagedSample(folder: string): string {
  const path = sampleCopy(folder)
  const memory = new TestMemory(path)
  const newest = 'SELECT max(message_id) - 3 FROM context_items WHERE conversation_id = 1'
  memory.damage(`DELETE FROM context_items WHERE conversation_id = 1 AND message_id = (${newest})`)
  memory.damage('UPDATE summaries SET depth = 7 WHERE summary_rowid = (SELECT max(summary_rowid) FROM summaries)')
  memory.db.close()
  return path
}

/** A sample beside a folder with a file of each kind. */
function sampleBesideOthers(folder: string): string {
  const memories = join(folder, 'memories')
  mkdirSync(join(memories, 'older'), { recursive: true })
  sampleCopy(memories, 'copy.db')
  writeFileSync(join(memories, 'session.jsonl'), '{"type":"user","message":{"role":"user","content":"Begin."}}\n')
  writeFileSync(join(memories, 'notes.txt'), 'Nothing of a memory.')
  return sampleCopy(folder)
}

/** A sample with a page that cannot be read. */
function unreadableSample(folder: string): string {
  const path = sampleCopy(folder)
  damageTable(path, 'messages')
  return path
}

function fileOfAnotherSystem(folder: string): string {
  const path = join(folder, 'original.db')
  copyFileSync(systemFile('lossless-claw/small.db'), path)
  return path
}

const OF_SUMMARY = `#/conversation/1/layers?select=${SUMMARY}`

/** Dialogs, and what is shown where there is nothing to show. The 5th conversation of the sample was never compacted. */
export const DIALOGS: readonly Scene[] = [
  { name: 'side of a comparison', hash: '#/conversation/1/compare', show: press(/^B: /) },
  { name: 'new map', hash: '#/conversation/1/batch', show: press('New run…') },
  { name: 'keys', hash: '#/conversation/1/start', show: byKey('?') },
  { name: 'palette', hash: '#/conversation/1/start', show: byKey('ControlOrMeta+k') },
  { name: 'compaction', hash: '#/conversation/1/compact', show: press('Compact…') },
  {
    name: 'undo of a compaction',
    hash: '#/conversation/1/compact?compact.list=history',
    show: async (page) => {
      await page.getByRole('button', { name: /^Mar 5, 10:54/ }).click()
      await press('Undo this compaction…')(page)
      await expect(page.getByRole('dialog')).toContainText('that came since')
    },
  },
  { name: 'prompt', hash: '#/conversation/1/compact', show: press(/^Prompt of step 1$/) },
  { name: 'new model', hash: '#/conversation/1/settings', show: press('Add a model…') },
  { name: 'questions of a probe', hash: '#/conversation/1/find?probe=0', show: press('Your own…') },
  { name: 'backups', hash: '#/conversation/1/health', show: byPalette('Backups and undo') },
  { name: 'rewriting a summary', hash: OF_SUMMARY, show: operate(/^Rewrite…/) },
  { name: 'what rewriting changes', hash: OF_SUMMARY, show: previewed(/^Rewrite…/) },
  { name: 'what dissolving changes', hash: OF_SUMMARY, show: previewed(/^Dissolve/) },
  { name: 'transplanting a summary', hash: OF_SUMMARY, show: operate(/^Transplant/) },
  { name: 'check against a transcript', hash: '#/conversation/1/health', show: press(/^Check against transcript/) },
  {
    name: 'folders of the machine',
    file: sampleBesideOthers,
    hash: '#/conversation/1/batch',
    show: async (page) => {
      await press('New run…')(page)
      await page.getByRole('dialog').getByRole('button', { name: 'Browse…' }).first().click()
      const folders = page.getByRole('dialog')
      await folders.getByRole('button', { name: /^scene-/ }).click()
      await folders.getByRole('button', { name: /^memories/ }).click()
      await expect(folders.getByRole('button', { name: /^copy.db/ })).toBeVisible()
    },
  },
  {
    name: 'question before a repair',
    file: damagedSample,
    hash: '#/conversation/1/health',
    show: async (page) => {
      await page.getByRole('button', { name: 'Check now' }).click()
      await press(/^Apply 2.steps…/)(page)
    },
  },
  {
    name: 'working copy',
    file: fileOfAnotherSystem,
    hash: '#/conversation/1/start',
    show: async (page) => {
      await fromMemoryMenu(page, 'Make a working copy…')
      await expect(page.getByRole('dialog')).toContainText('lossless-claw,')
    },
  },
  {
    name: 'salvage',
    file: unreadableSample,
    hash: '#/conversation/1/start',
    show: async (page) => {
      await page.getByRole('button', { name: 'Salvage what can be read…' }).click()
      await expect(page.getByRole('dialog')).toContainText('stays as it is')
    },
  },
  { name: 'never compacted', hash: '#/conversation/5/start' },
  { name: 'nothing compared', hash: '#/conversation/1/compare' },
  { name: 'nothing traced', hash: '#/conversation/1/find?trace=1' },
  { name: 'nothing found', hash: '#/conversation/1/find?query=zebra99171' },
  { name: 'nothing summarised', hash: '#/conversation/5/layers?layers.form=tree' },
  { name: 'share', hash: '#/conversation/1/start', show: byPalette('Share this conversation') },
  { name: 'what if', hash: '#/conversation/1/window?window.form=what-if&window.budget=3000' },
  { name: 'marked messages', hash: '#/conversation/1/layers?layers.range=40-120' },
  { name: 'nothing asked', hash: '#/conversation/1/find?ask=1' },
  { name: 'nothing probed', hash: '#/conversation/1/find?probe=0' },
  { name: 'nothing says it', hash: '#/conversation/1/find?trace=1&query=zebra99171' },
  { name: 'nothing in the marked range', hash: '#/conversation/1/messages?layers.range=9000-9001' },
  { name: 'no conversation with these words', hash: '#/conversation/1/conversations?conversations.words=zebra99171' },
  { name: 'no graph', hash: '#/conversation/5/layers?layers.form=graph' },
]

type Surroundings = {
  readonly home: string
  /** The file that scenes without a file of their own show. It is open at first. */
  readonly path: string
  /** Called after the page of another file was opened. */
  readonly onOpened?: () => Promise<unknown>
}

/** Returns what shows one scene after the other in a page of the browser host. */
export function sceneShower(page: Page, { home, path, onOpened }: Surroundings): (scene: Scene) => Promise<void> {
  let opened = path
  let folders = 0
  const folderOfItsOwn = (): string => {
    folders += 1
    const folder = join(home, `scene-${folders}`)
    mkdirSync(folder)
    return folder
  }
  return async ({ hash, show, file }) => {
    const wanted = file === undefined ? path : file(folderOfItsOwn())
    if (wanted !== opened) {
      await turnTo(page, wanted, 'browser')
      await onOpened?.()
      opened = wanted
    }
    await page.evaluate((to) => location.assign(to), hash)
    if (!show) return
    // What is pressed may be moved by what comes late, and the page is scrolled to it.
    await loaded(page)
    await show(page)
  }
}
