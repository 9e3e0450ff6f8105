import { Fragment } from 'react'
import { useRoute } from '../routes.ts'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Kbd } from '../ui/controls/kbd.tsx'
import { SectionHeading } from '../ui/controls/section-heading.tsx'
import { keyGroups } from './key-list.ts'
import styles from './keys-dialog.module.css'

/** All keys at a glance, those of the present view first. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const groups = keyGroups(useRoute())
  return (
    <Dialog title="Keys" width={780} onClose={onClose}>
      {/* It is read only: with the focus in it, the arrow keys scroll. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields */}
      <div className={styles.groups} role="group" aria-label="All keys" tabIndex={0} data-autofocus="">
        {groups.map((group) => (
          <section
            key={group.title}
            className={styles.group}
            data-here={group.at !== undefined && group === groups[0] ? '' : undefined}
          >
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

/** `g s` or `2`: after `g` and its letter stands a shortcut. */
function Keys({ keys }: { readonly keys: readonly string[] }) {
  return keys.map((key, index) => (
    <Fragment key={key}>
      {keys[0] === 'g' && index === 2 && <span>or</span>}
      <Kbd>{key}</Kbd>
    </Fragment>
  ))
}
