import { type DragEvent, type ReactNode, useState } from 'react'
import { client } from '../../api.ts'
import { toErrorInfo } from '../../error-text.ts'
import { host } from '../../host.ts'
import styles from './drop-target.module.css'
import { sortDropped } from './sort-dropped.ts'

type Props = {
  readonly onMemory: (path: string) => void
  readonly onTranscripts: (paths: readonly string[]) => void
  readonly children: ReactNode
}

/**
 * Takes files that are dropped anywhere on it. A browser never tells where a dropped file lies, so that there the
 * answer is what to do instead.
 */
export function DropTarget({ onMemory, onTranscripts, children }: Props) {
  const [isOver, setOver] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (!host.pathOfDroppedFile) {
      setRefusal('A browser does not tell where a dropped file lies: type its path, or browse the folders.')
      return
    }
    const paths = [...event.dataTransfer.files].map(host.pathOfDroppedFile).filter((path) => path !== '')
    void take(paths).catch((error: unknown) => setRefusal(toErrorInfo(error).message))
  }
  const take = async (paths: readonly string[]) => {
    const { memory, transcripts } = sortDropped(await Promise.all(paths.map((path) => client.machine.probe({ path }))))
    if (transcripts.length > 0) onTranscripts(transcripts)
    else if (memory !== null) onMemory(memory)
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setRefusal(null)
    setOver(true)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: everything that dropping does has a button as well
    <div className={styles.target} onDragOver={over} onDragLeave={() => setOver(false)} onDrop={drop}>
      {children}
      {isOver && (
        <div className={styles.veil}>Drop a memory to open it, or transcripts or their folder to import them</div>
      )}
      {refusal !== null && (
        <p className={styles.refusal} role="alert">
          {refusal}
        </p>
      )}
    </div>
  )
}
