import { Icon } from '#renderer/ui/controls/icon.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { Menu } from '#renderer/ui/controls/menu.tsx'
import { saveFile } from '#renderer/ui/data/save-file.ts'
import { drawStrata } from './draw-strata.ts'
import { paintCanvas } from './paint-canvas.ts'
import type { Scene } from './scene.ts'
import styles from './strata-stage.module.css'
import { toSvg } from './to-svg.ts'
import { showWhole, zoomStep } from './use-stage-keys.ts'
import { viewportAround } from './viewport.ts'
import type { ViewportMotion } from './viewport-motion.ts'

type Props = {
  readonly sceneNow: () => Scene
  readonly motion: ViewportMotion
  readonly canShowSelection: boolean
  readonly onReplay: () => void
}

/** Buttons for zoom and export. */
export function StrataControls({ sceneNow, motion, canShowSelection, onReplay }: Props) {
  const showSelection = () => {
    const { selected } = sceneNow()
    if (selected) motion.glideTo(viewportAround(selected.x0, selected.x1, motion.limits))
  }
  return (
    <div className={styles.controls}>
      <IconButton icon="minus" label="Zoom out (−)" onClick={() => zoomStep(motion, 'out')} />
      <IconButton icon="plus" label="Zoom in (+)" onClick={() => zoomStep(motion, 'in')} />
      <IconButton icon="fit" label="Show everything (0)" onClick={() => showWhole(motion)} />
      <IconButton icon="target" label="Zoom to the selection" disabled={!canShowSelection} onClick={showSelection} />
      <IconButton icon="play" label="Replay (P)" onClick={onReplay} />
      <Menu
        label="Save this view"
        items={[
          { label: 'PNG picture', onSelect: () => void saveAsPng(sceneNow()) },
          { label: 'SVG drawing', onSelect: () => saveAsSvg(sceneNow()) },
        ]}
      >
        <Icon name="download" />
      </Menu>
    </div>
  )
}

/** Device pixels for each CSS pixel of a saved picture, which is then sharp in print and on any screen. */
const PIXEL_RATIO = 2

const nameOf = ({ strata }: Scene, ending: string): string =>
  `strata-conversation-${strata.conversationId}-by-${strata.axis}.${ending}`

/** Saves the part in sight as a picture. */
async function saveAsPng(scene: Scene): Promise<void> {
  const list = drawStrata(scene)
  const canvas = new OffscreenCanvas(list.width * PIXEL_RATIO, list.height * PIXEL_RATIO)
  const pen = canvas.getContext('2d')
  if (pen === null) throw new Error('this browser gives no canvas to draw the picture on')
  paintCanvas(pen, list, PIXEL_RATIO)
  saveFile(nameOf(scene, 'png'), await canvas.convertToBlob({ type: 'image/png' }))
}

/** Saves the part in sight as a vector drawing. */
function saveAsSvg(scene: Scene): void {
  const svg = toSvg(drawStrata(scene), `Layers of conversation ${scene.strata.conversationId}`)
  saveFile(nameOf(scene, 'svg'), new Blob([svg], { type: 'image/svg+xml' }))
}
