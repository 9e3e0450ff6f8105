// `npm run lcm -- …`: npm itself changes to the project folder, the command runs where the user is.
import { userFolder } from './project.mjs'
import { runLcm } from './run-lcm.mjs'

await runLcm(userFolder)
