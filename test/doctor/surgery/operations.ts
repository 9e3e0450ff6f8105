import {
  SurgeryOperation,
  type SurgeryPreview,
  type SurgeryRequest,
  type SurgeryResult,
} from '#core/contract/surgery.ts'
import { runOn } from '../repair/doctor.ts'

export const preview = (path: string, request: SurgeryRequest): Promise<SurgeryPreview> =>
  runOn(path, { kind: 'surgery_preview', operation: SurgeryOperation.parse(request) })

export const operate = (path: string, request: SurgeryRequest, previewId?: string): Promise<SurgeryResult> =>
  runOn(path, {
    kind: 'surgery',
    operation: SurgeryOperation.parse(request),
    ...(previewId === undefined ? {} : { previewId }),
  })
