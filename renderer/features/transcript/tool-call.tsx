import { useMemo } from 'react'
import { Chip } from '#renderer/ui/controls/chip.tsx'
import { plural } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { linesIn } from '#renderer/ui/texts/text-pieces.ts'
import type { Block } from './blocks.ts'
import { DiffText } from './diff-text.tsx'
import { Disclosure } from './disclosure.tsx'
import { editDiff } from './edit-diff.ts'
import { useFold } from './folds.tsx'
import { PreviewText } from './preview-text.tsx'
import styles from './tool-call.module.css'
import { jsonIn, prettyJson, toolLine } from './tool-line.ts'

type Props = {
  readonly call: Extract<Block, { kind: 'tool_call' }>
  readonly foldKey: string
  /** Loads all texts of the message. Set when some of them were cut. */
  readonly onWhole?: (() => void) | undefined
}

/** A call in one line. Its input unfolds, and its result if it is stored with it. An edit shows its diff at once. */
export function ToolCall({ call, foldKey, onWhole }: Props) {
  const [isOpen, toggle] = useFold(foldKey)
  const line = useMemo(() => toolLine(call.input), [call.input])
  const diff = useMemo(() => editDiff(call.input), [call.input])
  const input = useMemo(() => prettyJson(call.input), [call.input])
  const result = call.error === '' ? call.output : call.error
  const hasFailed = call.error !== '' || call.status === 'error'
  return (
    <div>
      <Disclosure
        isOpen={isOpen}
        onToggle={toggle}
        head={
          <>
            <span className={styles.name} title={call.title ?? undefined}>
              <MarkedText text={call.toolName} />
            </span>
            <code className={styles.line}>
              <bdi>
                <MarkedText text={line} />
              </bdi>
            </code>
            {hasFailed && <Chip tone="error">failed</Chip>}
            {result !== '' && <span className={styles.size}>{plural(linesIn(result.trimEnd()), 'line')}</span>}
          </>
        }
      >
        <Section name="input">
          <PreviewText
            text={input}
            foldKey={`${foldKey} input`}
            face="code"
            language={jsonIn(input)}
            onWhole={onWhole}
          />
        </Section>
        {result !== '' && (
          <Section name={hasFailed ? 'error' : 'result'}>
            <PreviewText
              text={result}
              foldKey={`${foldKey} result`}
              face="code"
              language={jsonIn(result)}
              tone={hasFailed ? 'error' : 'quoted'}
              onWhole={onWhole}
            />
          </Section>
        )}
        {call.toolCallId !== null && <p className={styles.callId}>{call.toolCallId}</p>}
      </Disclosure>
      {!isOpen && diff !== null && <DiffText lines={diff} foldKey={`${foldKey} diff`} />}
    </div>
  )
}

function Section({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <section className={styles.section}>
      <h4>{name}</h4>
      {children}
    </section>
  )
}
