import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Description, FileInfo } from '#core/contract/lineage.ts'
import { api } from '#renderer/api.ts'
import { currentRoute, navigate, useRoutePart } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Fact, Facts } from '#renderer/ui/controls/facts.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { Segmented } from '#renderer/ui/controls/segmented.tsx'
import { useCopy } from '#renderer/ui/controls/use-copy.ts'
import { useKeys } from '#renderer/ui/controls/use-keys.ts'
import { NodeIdText } from '#renderer/ui/nodes/node-id-text.tsx'
import { useName } from '#renderer/ui/nodes/use-names.ts'
import { ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { Notice } from '#renderer/ui/states/notice.tsx'
import { formatBytes } from '#renderer/ui/texts/format.ts'
import { MarkedText } from '#renderer/ui/texts/marked-text.tsx'
import { TimeText } from '#renderer/ui/texts/time-text.tsx'
import { DetailChips, DetailFacts } from './detail-facts.tsx'
import { DetailText } from './detail-text.tsx'
import { kindHeading } from './detail-wording.ts'
import { ExpansionPages } from './expansion.tsx'
import { LineageLists } from './lineage-lists.tsx'
import styles from './node-detail.module.css'
import { RawRowsSection } from './raw-rows.tsx'

type Props = {
  readonly id: string
  /** Renders the menu of changes by hand. */
  readonly operate: (description: Description) => ReactNode
  readonly note: NoteOfNode
}

/** What renders the buttons and the text of a note. */
export type NoteOfNode = {
  readonly buttons: (id: string) => ReactNode
  readonly section: (id: string) => ReactNode
}

/** The details of a message, a summary or a file. */
export function NodeDetail({ id, operate, note }: Props) {
  const description = useQuery(
    api.retrieval.describe.queryOptions({ input: { id }, placeholderData: keepPreviousData }),
  )
  if (description.error)
    return (
      <ErrorState
        error={description.error}
        onRetry={() => void description.refetch()}
        actions={<Button onClick={() => navigate({ selection: null }, 'push')}>Clear the selection</Button>}
      />
    )
  // Keeping the previous node for a moment would show it under the new id.
  if (!description.data) return <Loading what={id} lines={7} />
  const { data } = description
  return (
    <DetailContent
      key={data.id}
      description={data}
      operate={operate(data)}
      noteButtons={note.buttons(data.id)}
      note={note.section(data.id)}
    />
  )
}

type ContentProps = {
  readonly description: Description
  /** A menu of changes by hand, or null. */
  readonly operate: ReactNode
  readonly noteButtons: ReactNode
  readonly note: ReactNode
}

/** All details of a node: its kind, its text, and its lineage. */
function DetailContent({ description, operate, noteButtons, note }: ContentProps) {
  const { id, kind } = description
  const [isExpanded, setExpanded] = useState(false)
  const [copied, copy] = useCopy()
  const name = useName(id)
  const isSummary = kind === 'leaf' || kind === 'condensed'
  const toggle = () => setExpanded(!isExpanded)
  useKeys(isSummary ? { e: toggle } : {})

  return (
    <article className={styles.detail}>
      <section className={styles.section}>
        <SectionHeading
          aside={
            <>
              {noteButtons}
              <IconButton
                icon="close"
                label="Clear the selection (Esc)"
                onClick={() => navigate({ selection: null }, 'push')}
              />
            </>
          }
        >
          {kindHeading(description)}
        </SectionHeading>
        {isSummary && name !== null && (
          <h2 className={styles.name}>
            <bdi>
              <MarkedText text={name} />
            </bdi>
          </h2>
        )}
        <NodeIdText id={id} />
        <DetailChips description={description} />
        {description.file ? <FileFacts file={description.file} /> : <DetailFacts description={description} />}
        <div className={styles.actions}>
          {isSummary && (
            <Button aria-expanded={isExpanded} title="Down to the messages (e)" onClick={toggle}>
              {isExpanded ? 'Fold' : 'Expand'}
            </Button>
          )}
          {isSummary && (
            <Button
              title="Which sentences rest on which messages, and which on none"
              onClick={() => navigate({ view: 'layers', shown: { 'layers.form': 'tree' } }, 'push')}
            >
              Check against its sources
            </Button>
          )}
          {kind === 'file' ? (
            <Button onClick={() => navigate({ view: 'files' }, 'push')}>Show its content</Button>
          ) : (
            <Button onClick={() => navigate({ view: 'messages' }, 'push')}>Open in messages</Button>
          )}
          <Button onClick={() => copy(id)}>{copied === 'copied' ? 'Copied' : 'Copy id'}</Button>
          {operate}
        </div>
      </section>
      {note}
      <Elsewhere conversationId={description.conversationId} />
      {isExpanded && <Expansion summaryId={id} />}
      <DetailText description={description} />
      <LineageLists description={description} />
      <RawRowsSection id={id} />
    </article>
  )
}

/** Says that the selection belongs to another conversation than the one on screen. */
function Elsewhere({ conversationId }: { readonly conversationId: number }) {
  const shown = useRoutePart('conversationId')
  if (shown === null || shown === conversationId) return null
  const go = () => navigate({ conversationId, selection: currentRoute().selection }, 'push')
  return (
    <div className={styles.elsewhere}>
      <Notice title="Of another conversation.">The views show a different one.</Notice>
      <Button onClick={go}>Go to its conversation</Button>
    </div>
  )
}

/** What is known of a large file. Its content is not read. */
function FileFacts({ file }: { readonly file: FileInfo }) {
  return (
    <Facts>
      <Fact name="name">{file.fileName}</Fact>
      <Fact name="type">{file.mimeType}</Fact>
      <Fact name="size">{file.bytes === null ? null : formatBytes(file.bytes)}</Fact>
      <Fact name="stored at">
        <bdi>
          <MarkedText text={file.storageUri} />
        </bdi>
      </Fact>
      <Fact name="stored">{file.createdAtMs === null ? null : <TimeText atMs={file.createdAtMs} form="short" />}</Fact>
    </Facts>
  )
}

type Reach = 'level' | 'messages'

/** The sources of a summary, each of which can be unfolded, or everything down to the messages. */
function Expansion({ summaryId }: { readonly summaryId: string }) {
  const [reach, setReach] = useState<Reach>('level')
  return (
    <section className={styles.expansion}>
      <SectionHeading
        aside={
          <Segmented<Reach>
            label="Expand"
            options={[
              { value: 'level', label: 'level by level', hint: 'Its sources; each unfolds in turn' },
              { value: 'messages', label: 'all messages', hint: 'Every level at once, down to the messages' },
            ]}
            value={reach}
            onChange={setReach}
          />
        }
      >
        Expanded
      </SectionHeading>
      <ExpansionPages key={reach} summaryId={summaryId} isWhole={reach === 'messages'} />
    </section>
  )
}
