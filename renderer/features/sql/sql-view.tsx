import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import type { SqlAnswer } from '#core/contract/sql.ts'
import { api } from '#renderer/api.ts'
import { useLink } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { Dialog } from '#renderer/ui/controls/dialog.tsx'
import { Icon } from '#renderer/ui/controls/icon.tsx'
import { Kbd } from '#renderer/ui/controls/kbd.tsx'
import { Menu } from '#renderer/ui/controls/menu.tsx'
import { useCopy } from '#renderer/ui/controls/use-copy.ts'
import { saveFile } from '#renderer/ui/data/save-file.ts'
import { EmptyState } from '#renderer/ui/states/empty-state.tsx'
import { ErrorLine, ErrorState } from '#renderer/ui/states/error-state.tsx'
import { Loading } from '#renderer/ui/states/loading.tsx'
import { formatCount, plural } from '#renderer/ui/texts/format.ts'
import { QueryList } from './query-list.tsx'
import { ResultTable } from './result-table.tsx'
import styles from './sql-view.module.css'
import { StatementField } from './statement-field.tsx'
import { type Outcome, useStatement } from './use-statement.ts'

/** One SELECT over the memory. It runs in a process of its own, and nothing can be written. */
export function SqlView() {
  const { addressed, outcome, run, stop, all } = useStatement()
  const [text, setText] = useState(addressed ?? '')
  const [shownFor, setShownFor] = useState(addressed)
  if (shownFor !== addressed) {
    setShownFor(addressed)
    if (addressed !== null) setText(addressed)
  }
  const [isSaving, setSaving] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const tables = useQuery(api.sql.tables.queryOptions())
  const insert = (name: string) => {
    const area = field.current
    if (area === null) return
    area.setRangeText(name, area.selectionStart, area.selectionEnd, 'end')
    setText(area.value)
    area.focus()
  }
  const send = (event?: FormEvent) => {
    event?.preventDefault()
    if (text.trim() !== '') run(text)
  }
  const isRunning = outcome.state === 'running'
  return (
    <div className={styles.view}>
      <QueryList addressed={addressed} tables={tables} onInsert={insert} />
      <div className={styles.main}>
        <form className={styles.form} onSubmit={send}>
          <StatementField
            field={field}
            text={text}
            tables={tables.data ?? []}
            onChange={setText}
            onRun={() => send()}
          />
          <div className={styles.line}>
            <Button look="primary" disabled={text.trim() === '' || isRunning} onClick={() => send()}>
              Run
            </Button>
            <Kbd>Mod Enter</Kbd>
            {isRunning && <Button onClick={stop}>Stop</Button>}
            <Button look="quiet" disabled={text.trim() === ''} onClick={() => setSaving(true)}>
              Save as…
            </Button>
            <span className={styles.status} role="status">
              {statusOf(outcome)}
            </span>
            {outcome.state === 'answered' && <Export sql={outcome.sql} all={all} />}
          </div>
        </form>
        <div className={styles.result}>
          <Result outcome={outcome} />
        </div>
      </div>
      {isSaving && <SaveDialog sql={text} onClose={() => setSaving(false)} />}
    </div>
  )
}

function Result({ outcome }: { readonly outcome: Outcome }) {
  switch (outcome.state) {
    case 'none':
      return (
        <EmptyState title="Ask the tables themselves">
          Choose a query on the left, or write one SELECT. The memory is only read, also another system’s; a statement
          that does not end is stopped.
        </EmptyState>
      )
    case 'running':
      return <Loading what="the rows" lines={7} />
    case 'failed':
      return <ErrorState error={outcome.error} />
    case 'answered':
      return outcome.answer.columns.length === 0 ? (
        <EmptyState title="No columns">The statement returns none.</EmptyState>
      ) : (
        <ResultTable answer={outcome.answer} />
      )
  }
}

function statusOf(outcome: Outcome): string {
  if (outcome.state === 'running') return 'Running…'
  if (outcome.state !== 'answered') return ''
  const { rows, cut, cutValues, elapsedMs } = outcome.answer
  const count = cut === null ? plural(rows.length, 'row') : `the first ${formatCount(rows.length)} rows`
  const values = cutValues > 0 ? ` · ${plural(cutValues, 'long value')} cut` : ''
  return `${count} · ${formatCount(elapsedMs)} ms${values}`
}

/** What writes it stands beside schemas, so it is loaded when somebody wants it. */
async function csvOf(answer: SqlAnswer): Promise<string> {
  const { sqlCsv } = await import('#core/contract/sql.ts')
  return sqlCsv(answer)
}

type ExportProps = { readonly sql: string; readonly all: ReturnType<typeof useStatement>['all'] }

/** All rows as a file, and the address of the query. */
function Export({ sql, all }: ExportProps) {
  const [error, setError] = useState<unknown>(null)
  const [copied, copy] = useCopy()
  const linkTo = useLink()
  const save = async (ending: 'csv' | 'json') => {
    setError(null)
    try {
      const answer = await all(sql)
      const [type, text] =
        ending === 'csv' ? ['text/csv', `${await csvOf(answer)}\r\n`] : ['application/json', toJson(answer)]
      saveFile(`query.${ending}`, new Blob([text], { type }))
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <>
      {error !== null && <ErrorLine error={error} />}
      <Menu
        label="Export the rows"
        className={styles.export}
        items={[
          { label: 'CSV', onSelect: () => void save('csv') },
          { label: 'JSON', onSelect: () => void save('json') },
          {
            label: 'Copy the address of this query',
            onSelect: () => copy(linkTo({ view: 'sql', shown: { 'sql.text': sql } })),
          },
        ]}
      >
        {copied === 'copied' ? 'Copied' : 'Export'}
        <Icon name="chevronDown" />
      </Menu>
    </>
  )
}

/** Asks for the name under which a query is kept. */
function SaveDialog({ sql, onClose }: { readonly sql: string; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const save = useMutation(
    api.sql.save.mutationOptions({
      onSuccess: (all) => {
        queries.setQueryData(api.sql.saved.queryKey(), all)
        onClose()
      },
    }),
  )
  const send = (event?: FormEvent) => {
    event?.preventDefault()
    if (name.trim() !== '') save.mutate({ name: name.trim(), sql })
  }
  return (
    <Dialog
      title="Save this query"
      width={420}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={name.trim() === ''} onClick={() => send()}>
            Save
          </Button>
        </>
      }
    >
      <form className={styles.save} onSubmit={send}>
        <input
          type="text"
          data-autofocus=""
          aria-label="Name of the query"
          placeholder="Name"
          maxLength={120}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <p>It is kept on this computer, for every memory. One of the same name is replaced.</p>
        {save.error && <ErrorLine error={save.error} />}
      </form>
    </Dialog>
  )
}

/** Writes an object for each row. Of columns with the same name the later ones are numbered. */
function toJson({ columns, rows }: SqlAnswer): string {
  const names = columns.map((name, index) => {
    const before = columns.slice(0, index).filter((other) => other === name).length
    return before === 0 ? name : `${name}:${before}`
  })
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(row.map((cell, index) => [names[index] ?? String(index), cell]))),
    null,
    2,
  )
}
