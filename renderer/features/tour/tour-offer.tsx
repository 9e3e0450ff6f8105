import { Button } from '#renderer/ui/controls/button.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { useConversation } from '#renderer/ui/data/use-conversations.ts'
import { isOfSample, leaveTour, prepareTour, useTourSettled } from './tour.ts'
import styles from './tour-offer.module.css'

type Props = { readonly conversationId: number; readonly path: string }

/** Offers the tour on the sample, until it was taken or refused once. */
export function TourOffer({ conversationId, path }: Props) {
  const { data: conversation } = useConversation(conversationId)
  const isSettled = useTourSettled()
  if (isSettled || !isOfSample(conversation?.sessionId)) return null
  return (
    <section className={styles.offer} aria-label="Tour of the sample">
      <p className={styles.words}>
        <strong>New here?</strong> Follow one lost detail of this sample in five steps: from the question to the
        compaction that lost it.
      </p>
      <Button look="primary" onClick={() => prepareTour(path)}>
        Take the tour
      </Button>
      <IconButton icon="close" label="Do not offer the tour again" onClick={leaveTour} />
    </section>
  )
}
