import { useQuery } from '@tanstack/react-query'
import { api } from '../api.ts'

/** What goes wrong while an agent works is known so soon. A look asks the file only when it has changed. */
const LOOK_MS = 10_000

/** What is wrong with the memory while its agent works, asked again and again as long as it is shown. */
export const useWatch = () => useQuery(api.watch.look.queryOptions({ refetchInterval: LOOK_MS, retry: false }))
