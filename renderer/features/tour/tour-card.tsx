import { useEffect } from 'react'
import { navigate } from '#renderer/routes.ts'
import { Button } from '#renderer/ui/controls/button.tsx'
import { IconButton } from '#renderer/ui/controls/icon-button.tsx'
import { SectionHeading } from '#renderer/ui/controls/section-heading.tsx'
import { leaveTour, STEPS, showStep, useTour } from './tour.ts'
import styles from './tour-card.module.css'

/** The step of the tour that is being taken on this file. Esc and the cross leave it. */
export function TourCard({ path }: { readonly path: string }) {
  const tour = useTour(path)
  const at = tour?.step ?? 0
  const isNew = tour !== null && !tour.isBegun
  useEffect(() => {
    if (isNew) goTo(path, 0)
  }, [isNew, path])
  const step = STEPS[at]
  if (tour === null || step === undefined) return null
  const isLast = at === STEPS.length - 1
  return (
    <section
      className={styles.card}
      aria-label="Tour"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        leaveTour()
      }}
    >
      <SectionHeading aside={<IconButton icon="close" label="Leave the tour" onClick={leaveTour} />}>
        Tour · {at + 1} of {STEPS.length}
      </SectionHeading>
      <div aria-live="polite">
        <h3 className={styles.title}>{step.title}</h3>
        <p className={styles.text}>{step.text}</p>
      </div>
      <div className={styles.actions}>
        {at > 0 && <Button onClick={() => goTo(path, at - 1)}>Back</Button>}
        <Button look={isLast ? 'plain' : 'primary'} onClick={isLast ? leaveTour : () => goTo(path, at + 1)}>
          {isLast ? 'Done' : 'Next step'}
        </Button>
      </div>
    </section>
  )
}

function goTo(path: string, index: number): void {
  const step = STEPS[index]
  if (step === undefined) return
  showStep(path, index)
  navigate(step.place, 'push')
}
