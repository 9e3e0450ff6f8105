import { resolve } from 'node:path'
import { LcmError } from '../../errors.ts'
import type { Environment } from '../../folders.ts'
import { FolderStore } from './folder-store.ts'
import type { ObjectStore } from './object-store.ts'
import { S3Store } from './s3-store.ts'

/** Where large files of conversations in PostgreSQL lie, and out of which folders they may be taken. */
export type Objects = { readonly store: ObjectStore; readonly filesDirs: readonly string[] }

const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(?:\/(.*))?$/

const set = (env: Environment, name: string): string | null => env[name]?.trim() || null

/**
 * The store that `LCM_OBJECTS` names; null when it names none.
 * @throws LcmError invalid_argument. The message never repeats a key
 */
export function configuredObjects(env: Environment): Objects | null {
  const named = set(env, 'LCM_OBJECTS')
  if (named === null) return null
  const filesDir = set(env, 'LCM_FILES_DIR')
  const filesDirs = filesDir === null ? [] : [resolve(filesDir)]
  if (!named.startsWith('s3:')) return { store: new FolderStore(named), filesDirs }
  const [, bucket, path] = S3.exec(named) ?? []
  if (bucket === undefined) {
    throw new LcmError('invalid_argument', 'LCM_OBJECTS is s3://bucket/prefix or a folder: correct it.')
  }
  const [accessKeyId, secretAccessKey] = [set(env, 'AWS_ACCESS_KEY_ID'), set(env, 'AWS_SECRET_ACCESS_KEY')]
  if (accessKeyId === null || secretAccessKey === null) {
    throw new LcmError(
      'invalid_argument',
      'LCM_OBJECTS names an S3 bucket, and its keys are missing: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    )
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
  const sessionToken = set(env, 'AWS_SESSION_TOKEN')
  const store = new S3Store({ endpoint, bucket, prefix, region, accessKeyId, secretAccessKey, sessionToken })
  return { store, filesDirs }
}
