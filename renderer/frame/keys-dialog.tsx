import { Fragment } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { SectionHeading } from '../ui/section-heading.tsx'
import { KEY_GROUPS } from './key-list.ts'
import styles from './keys-dialog.module.css'

/** All keys at a glance. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" width={780} onClose={onClose}>
      <div className={styles.groups}>
        {KEY_GROUPS.map((group) => (
          <section key={group.title} className={styles.group}>
            <SectionHeading>{group.title}</SectionHeading>
            <dl className={styles.list}>
              {group.keys.map(([keys, does]) => (
                <Fragment key={does}>
                  <dt>
                    <Keys keys={keys} />
                  </dt>
                  <dd>{does}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

/** `g s` or `2`: three keys are a pair and its shortcut. */
function Keys({ keys: [first = '', second, shortcut] }: { readonly keys: readonly string[] }) {
  return (
    <>
      <Kbd>{first}</Kbd>
      {second !== undefined && <Kbd>{second}</Kbd>}
      {shortcut !== undefined && (
        <>
          <span>or</span>
          <Kbd>{shortcut}</Kbd>
        </>
      )}
    </>
  )
}
