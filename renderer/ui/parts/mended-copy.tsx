import { useMutation } from '@tanstack/react-query'
import { client } from '#renderer/api.ts'
import { Button } from '../controls/button.tsx'
import { ErrorLine } from '../states/error-state.tsx'
import { plural } from '../texts/format.ts'
import { PathText } from '../texts/path-text.tsx'
import styles from './mended-copy.module.css'

/** Writes a copy of the transcript of a conversation of which a resume would load everything, and says where it is. */
export function MendedCopy({ conversationId }: { readonly conversationId: number }) {
  const mend = useMutation({
    mutationFn: async () => {
      const { resume } = await client.context.assemble({ conversationId })
      return resume === undefined ? null : client.machine.mendTranscript({ path: resume.path })
    },
  })
  const { data } = mend
  return (
    <div className={styles.mended}>
      <Button disabled={mend.isPending} onClick={() => mend.mutate()}>
        Write a mended copy
      </Button>
      <div role="status">
        {data === null && <p>A resume loads the whole window now: there is nothing to mend.</p>}
        {data && (
          <p>
            <PathText path={data.to} /> differs in {plural(data.lines.length, 'line')}. Close the session, keep the
            original elsewhere, and put the copy in its place under the same name.
          </p>
        )}
      </div>
      {mend.isError && <ErrorLine error={mend.error} />}
    </div>
  )
}
