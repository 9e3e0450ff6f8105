import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { saveAsPng, saveAsSvg } from './export-strata.ts'
import type { Scene } from './scene.ts'
import styles from './strata-stage.module.css'
import { showWhole, zoomStep } from './use-stage-keys.ts'
import { viewportAround } from './viewport.ts'
import type { ViewportMotion } from './viewport-motion.ts'

type Props = { readonly sceneNow: () => Scene; readonly motion: ViewportMotion; readonly canShowSelection: boolean }

/** Zoom and export. */
export function StrataControls({ sceneNow, motion, canShowSelection }: Props) {
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
