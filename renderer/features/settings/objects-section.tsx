import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ObjectsPlace } from '../../../core/contract/servers.ts'
import { api } from '../../api.ts'
import { toErrorInfo } from '../../error-text.ts'
import { Button } from '../../ui/button.tsx'
import { Chip, type Tone } from '../../ui/chip.tsx'
import { classNames } from '../../ui/class-names.ts'
import { SectionHeading } from '../../ui/section-heading.tsx'
import { ObjectsKeysDialog } from './objects-keys-dialog.tsx'
import sectionStyles from './section.module.css'

const KEYS: Readonly<Record<ObjectsPlace['keys'], { readonly text: string; readonly tone: Tone }>> = {
  environment: { text: 'keys from the environment', tone: 'fine' },
  keychain: { text: 'keys in the keychain', tone: 'fine' },
  none: { text: 'no keys', tone: 'warning' },
  not_needed: { text: 'needs no keys', tone: 'neutral' },
}

/** The store of large files of conversations in PostgreSQL, as the environment names it, and its keys. */
export function ObjectsSection({ canStoreKeys }: { readonly canStoreKeys: boolean }) {
  const [isAsking, setAsking] = useState(false)
  const { data: place, error } = useQuery(api.servers.objects.queryOptions())
  return (
    <section className={sectionStyles.section}>
      <SectionHeading>Large files in PostgreSQL</SectionHeading>
      {error && (
        <p className={sectionStyles.problem} role="alert">
          {toErrorInfo(error).message}
        </p>
      )}
      {place && (
        <ul>
          <li className={classNames(sectionStyles.entry, sectionStyles.providerRow)}>
            <div className={sectionStyles.words}>
              <p className={sectionStyles.entryHead}>
                <strong>
                  <bdi>{place.shown}</bdi>
                </strong>
                <Chip tone={KEYS[place.keys].tone}>{KEYS[place.keys].text}</Chip>
              </p>
              {place.server !== null && (
                <p className={sectionStyles.dim}>
                  <code>
                    <bdi>{place.server}</bdi>
                  </code>
                </p>
              )}
              {place.keys === 'none' && !canStoreKeys && (
                <p className={sectionStyles.dim}>Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and start again.</p>
              )}
            </div>
            {canStoreKeys && place.server !== null && (
              <div className={sectionStyles.providerActions}>
                <Button aria-label="Keys for large files" onClick={() => setAsking(true)}>
                  Keys…
                </Button>
              </div>
            )}
          </li>
        </ul>
      )}
      {isAsking && place && <ObjectsKeysDialog place={place} onClose={() => setAsking(false)} />}
    </section>
  )
}
