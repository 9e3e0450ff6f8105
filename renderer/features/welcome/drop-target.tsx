import { type DragEvent, type ReactNode, useEffect, useState } from 'react'
import { client } from '#renderer/api.ts'
import { toErrorInfo } from '#renderer/error-text.ts'
import { host } from '#renderer/host.ts'
import { sortDropped } from './sort-dropped.ts'
import styles from './welcome.module.css'

const REFUSAL_MS = 10_000
const IN_A_BROWSER =
  'A browser does not tell where a dropped file lies: type its path on the welcome page, or browse the folders there.'

type Props = {
  readonly onMemory: (path: string) => void
  readonly onTranscripts: (paths: readonly string[]) => void
  readonly children: ReactNode
}

/**
 * Accepts files that are dropped anywhere on it. A browser does not tell the path of a dropped file, so there the
 * answer explains what to do instead.
 */
export function DropTarget({ onMemory, onTranscripts, children }: Props) {
  const [isOver, setOver] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  useEffect(() => {
    if (refusal === null) return
    const timer = setTimeout(() => setRefusal(null), REFUSAL_MS)
    return () => clearTimeout(timer)
  }, [refusal])
  const drop = (event: DragEvent) => {
    if (!holdsFiles(event)) return
    // Otherwise the browser would open the file instead of the page.
    event.preventDefault()
    setOver(false)
    if (!host.pathOfDroppedFile) {
      setRefusal(IN_A_BROWSER)
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
    if (!holdsFiles(event)) return
    event.preventDefault()
    setRefusal(null)
    setOver(true)
  }
  const leave = (event: DragEvent) => {
    // The event comes for every element that the pointer crosses.
    if (event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)) return
    setOver(false)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: everything that dropping does has a button as well
    <div className={styles.target} onDragOver={over} onDragLeave={leave} onDrop={drop}>
      {children}
      {isOver && (
        <div className={styles.veil}>
          {host.pathOfDroppedFile
            ? 'Drop a memory to open it, or transcripts or their folder to import them'
            : IN_A_BROWSER}
        </div>
      )}
      {refusal !== null && (
        <p className={styles.refusal} role="alert">
          {refusal}
        </p>
      )}
    </div>
  )
}

/** True when files are dragged, and not a text of the page itself. */
const holdsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files')
