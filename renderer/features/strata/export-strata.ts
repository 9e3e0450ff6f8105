import { saveFile } from '../../ui/save-file.ts'
import { drawStrata } from './draw-strata.ts'
import { paintCanvas } from './paint-canvas.ts'
import type { Scene } from './scene.ts'
import { toSvg } from './to-svg.ts'

/** Device pixels to a CSS pixel in a saved picture: sharp in print and on any screen. */
const PIXEL_RATIO = 2

const nameOf = ({ strata }: Scene, ending: string): string =>
  `strata-conversation-${strata.conversationId}-by-${strata.axis}.${ending}`

/** Saves what is in sight as a picture. */
export async function saveAsPng(scene: Scene): Promise<void> {
  const list = drawStrata(scene)
  const canvas = new OffscreenCanvas(list.width * PIXEL_RATIO, list.height * PIXEL_RATIO)
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('this browser gives no canvas to draw the picture on')
  paintCanvas(pen, list, PIXEL_RATIO)
  saveFile(nameOf(scene, 'png'), await canvas.convertToBlob({ type: 'image/png' }))
}

/** Saves what is in sight as a drawing that scales. */
export function saveAsSvg(scene: Scene): void {
  const svg = toSvg(drawStrata(scene), `Strata of conversation ${scene.strata.conversationId}`)
  saveFile(nameOf(scene, 'svg'), new Blob([svg], { type: 'image/svg+xml' }))
}
