import { ensureBuild } from '../../scripts/ensure-build.mjs'

/** Before the specs: what is built is what the sources say. Both doors start the app from there, as users do. */
export default async function buildWhatChanged(): Promise<void> {
  await ensureBuild()
}
