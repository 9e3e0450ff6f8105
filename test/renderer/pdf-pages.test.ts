import { expect, it, vi } from 'vitest'
import { withAnswer } from '#renderer/ui/pictures/pdf-pages.tsx'
import type { PdfPage } from '#renderer/ui/pictures/pdf-worker.ts'

vi.mock('#renderer/host.ts', () => ({ host: {} }))

const drawnAs = (words: string) => ({ picture: new Blob([]), words, pages: 3, width: 1, height: 1 }) as PdfPage

it('names the page that is drawn, not the one that is asked for', () => {
  const first = withAnswer({ drawn: null, page: 1, failed: null, isDrawing: true }, 1, drawnAs('one'))
  expect(first).toMatchObject({ page: 1, drawn: { words: 'one' } })
  const second = withAnswer({ ...first, isDrawing: true }, 2, drawnAs('two'))
  expect(second).toMatchObject({ page: 2, drawn: { words: 'two' }, isDrawing: false })
  // The third cannot be drawn: the second stays.
  expect(withAnswer({ ...second, isDrawing: true }, 3, 'too slow')).toMatchObject({
    page: 2,
    drawn: { words: 'two' },
    failed: 'drawing it takes too long',
  })
})
