import { resolve } from 'node:path'
import { ObjectsKeys, type ObjectsPlace } from '#core/contract/servers.ts'
import { LcmError } from '#core/errors.ts'
import type { Environment } from '#core/folders.ts'
import type { KeyStore } from '#core/settings/key-store.ts'
import { FolderStore } from './folder-store.ts'
import type { ObjectStore } from './object-store.ts'
import { S3Store } from './s3-store.ts'

/** Where large files of conversations in PostgreSQL lie, and out of which folders they may be taken. */
export type Objects = { readonly store: ObjectStore; readonly filesDirs: readonly string[] }

const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*))?$/

const set = (env: Environment, name: string): string | null => env[name]?.trim() || null

/** What `LCM_OBJECTS` names: a folder, or a bucket of a server. */
type Place =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 's3'
      readonly bucket: string
      readonly prefix: string
      readonly region: string
      readonly endpoint: string
    }

/** @throws LcmError invalid_argument */
function placeIn(env: Environment): Place | null {
  const named = set(env, 'LCM_OBJECTS')
  if (named === null) return null
  if (!named.startsWith('s3:')) return { kind: 'folder', path: named }
  const [, bucket, path] = S3.exec(named) ?? []
  if (bucket === undefined) {
    throw new LcmError('invalid_argument', 'LCM_OBJECTS is s3://bucket/prefix or a folder: correct it.')
  }
  const region = set(env, 'LCM_OBJECTS_REGION') ?? set(env, 'AWS_REGION') ?? 'us-east-1'
  const endpoint = set(env, 'LCM_OBJECTS_ENDPOINT') ?? `https://s3.${region}.amazonaws.com`
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol) || new URL(endpoint).username !== '') {
    throw new LcmError(
      'invalid_argument',
      'LCM_OBJECTS_ENDPOINT is an address such as https://s3.example.com: correct it.',
    )
  }
  const prefix = (path ?? '').replace(/\/*$/, '/').replace(/^\/+$/, '')
  return { kind: 's3', bucket, prefix, region, endpoint }
}

/** The slot of keys in the keychain: they are sent to no other server and used for no other bucket. */
const ownerOf = ({ bucket, endpoint }: Extract<Place, { kind: 's3' }>) => ({ name: `S3 ${bucket}`, baseUrl: endpoint })

function keysInEnvironment(env: Environment): ObjectsKeys | null {
  const [accessKeyId, secretAccessKey] = [set(env, 'AWS_ACCESS_KEY_ID'), set(env, 'AWS_SECRET_ACCESS_KEY')]
  return accessKeyId === null || secretAccessKey === null ? null : { accessKeyId, secretAccessKey }
}

async function keysInStore(place: Extract<Place, { kind: 's3' }>, store: KeyStore | null): Promise<ObjectsKeys | null> {
  const kept = await store?.get(ownerOf(place))
  return kept ? ObjectsKeys.parse(JSON.parse(kept)) : null
}

/**
 * The store that `LCM_OBJECTS` names; null when it names none. Keys in the environment count before those in the keychain.
 * @throws LcmError invalid_argument. The message never repeats a key
 */
export async function configuredObjects(env: Environment, kept: KeyStore | null = null): Promise<Objects | null> {
  const place = placeIn(env)
  if (place === null) return null
  const filesDir = set(env, 'LCM_FILES_DIR')
  const filesDirs = filesDir === null ? [] : [resolve(filesDir)]
  if (place.kind === 'folder') return { store: new FolderStore(place.path), filesDirs }
  const given = keysInEnvironment(env)
  const keys = given ?? (await keysInStore(place, kept))
  if (keys === null) {
    throw new LcmError(
      'invalid_argument',
      `LCM_OBJECTS names an S3 bucket, and its keys are missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY${kept === null ? '' : ', or enter them in the settings'}.`,
    )
  }
  const sessionToken = given === null ? null : set(env, 'AWS_SESSION_TOKEN')
  return { store: new S3Store({ ...place, ...keys, sessionToken }), filesDirs }
}

/** What is shown of the store, without its keys. @throws LcmError invalid_argument */
export function shownObjects(env: Environment, kept: KeyStore | null): ObjectsPlace | null {
  const place = placeIn(env)
  if (place === null) return null
  if (place.kind === 'folder') return { shown: resolve(place.path), server: null, keys: 'not_needed' }
  const { bucket, prefix, endpoint } = place
  const source = kept?.has(ownerOf(place)) ? 'keychain' : 'none'
  const keys = keysInEnvironment(env) === null ? source : 'environment'
  return { shown: `s3://${bucket}/${prefix}`, server: new URL(endpoint).origin, keys }
}

/**
 * Keeps the keys of the S3 server in the keychain, or forgets them.
 * @throws LcmError unsupported where there is no keychain or no bucket is named
 */
export async function keepObjectsKeys(
  env: Environment,
  kept: KeyStore | null,
  keys: ObjectsKeys | null,
): Promise<void> {
  const place = placeIn(env)
  if (place?.kind !== 's3') {
    throw new LcmError('unsupported', 'No S3 bucket is named: set LCM_OBJECTS, and start LCM Inspector again.')
  }
  if (kept === null) {
    throw new LcmError(
      'unsupported',
      'Keys cannot be kept here: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment instead.',
    )
  }
  await kept.set(ownerOf(place), keys === null ? null : JSON.stringify(keys))
}
