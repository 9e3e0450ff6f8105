import { factsIn } from './facts.ts'

/** Facts on which the comparison may be tuned. The facts that measure it are in held-out-facts.ts. */
export const TUNING_FACTS = factsIn(`
# laboratory
said: The incubator in room 14 was calibrated to 37.2 degrees by Mireille.
kept: Incubator in room 14 calibrated to 37.2 degrees by Mireille.
reworded: Mireille set the incubator of room 14 right; it stands at 37.2 degrees.
changed: Incubator in room 14 calibrated to 36.8 degrees by Mireille.
denied: The incubator in room 14 was not calibrated to 37.2 degrees by Mireille.

said: Sample K-77 never failed with code E77 during the spin.
kept: Sample K-77 never failed with code E77 during the spin.
reworded: In the centrifuge K-77 did not once show E77.
changed: Sample K-79 never failed with code E77 during the spin.
denied: Sample K-77 failed with code E77 during the spin.

said: The pipette set from Hellstrom passes the 20 microlitre check.
kept: The pipette set from Hellstrom passes the 20 microlitre check.
reworded: At 20 microlitre the pipettes from Hellstrom do not fail the check.
changed: The pipette set from Hellstrom passes the 25 microlitre check.
denied: The pipette set from Hellstrom does not pass the 20 microlitre check.

said: Buffer lot 5512 is contaminated, so Dmitri threw it away.
kept: Buffer lot 5512 is contaminated; Dmitri threw it away.
reworded: Dmitri discarded buffer lot 5512, which was no longer clean.
changed: Buffer lot 5521 is contaminated; Dmitri threw it away.
denied: Buffer lot 5512 is not contaminated; Dmitri did not throw it away.

said: The centrifuge refuses to start when the lid sensor LS-4 is warm.
kept: The centrifuge does not start when the lid sensor LS-4 is warm.
reworded: With a warm LS-4 there is no way to get the centrifuge running.
changed: The centrifuge refuses to start when the lid sensor LS-6 is warm.
denied: The centrifuge starts when the lid sensor LS-4 is warm.

said: Not only the freezer but also fume hood 3 lost power on 9 May.
kept: The freezer and fume hood 3 lost power on 9 May.
reworded: On 9 May the power went out at fume hood 3 and the freezer.
changed: Not only the freezer but also fume hood 8 lost power on 9 May.
denied: Neither the freezer nor fume hood 3 lost power on 9 May.

said: Reagent R-19 stopped being stable above 25 degrees.
kept: Reagent R-19 is no longer stable above 25 degrees.
reworded: Beyond 25 degrees R-19 does not stay stable any more.
changed: Reagent R-19 stopped being stable above 35 degrees.
denied: Reagent R-19 is stable above 25 degrees.

said: The autoclave ran without error for 45 minutes, Beatriz noted.
kept: Beatriz noted that the autoclave ran 45 minutes without error.
reworded: The autoclave had 45 minutes free of errors according to Beatriz.
changed: Beatriz noted that the autoclave ran 54 minutes without error.
denied: Beatriz noted that the autoclave ran with an error for 45 minutes.

# contracts
said: The lease of the Harbour Street office ends on 30 June 2028.
kept: Lease of the Harbour Street office ends on 30 June 2028.
reworded: Until 30 June 2028 the office in Harbour Street is rented.
changed: Lease of the Harbour Street office ends on 30 July 2028.
denied: The lease of the Harbour Street office does not end on 30 June 2028.

said: Vandermeer signed the addendum on Monday.
kept: Addendum signed by Vandermeer on Monday.
reworded: The addendum carries the name of Vandermeer since Monday.
changed: Rosenthal signed the addendum on Monday.
denied: Vandermeer refused to sign the addendum on Monday.

said: Penalty of 2,500 euros applies to late delivery, not to damaged goods.
kept: Late delivery: penalty of 2,500 euros; damaged goods: none.
reworded: Whoever delivers late pays 2,500 euros, damaged goods cost nothing.
changed: Penalty of 3,500 euros applies to late delivery, not to damaged goods.
denied: Penalty of 2,500 euros does not apply to late delivery.

said: Clause 14 allows subletting to Brightwater Ltd.
kept: Clause 14 allows subletting to Brightwater Ltd.
reworded: Subletting to Brightwater is possible because of clause 14.
changed: Clause 17 allows subletting to Brightwater Ltd.
denied: Clause 14 forbids subletting to Brightwater Ltd.

said: Legal has approved the draft of 3 October, Imogen will send it.
kept: Draft of 3 October approved by legal; Imogen sends it.
reworded: Imogen sends the draft of 3 October after legal said yes.
changed: Draft of 8 October approved by legal; Imogen sends it.
denied: Legal has not approved the draft of 3 October, Imogen will not send it.

said: We cannot terminate the Quartz agreement without paying 18,000 pounds.
kept: The Quartz agreement cannot be terminated without paying 18,000 pounds.
reworded: Ending the Quartz agreement costs 18,000 pounds.
changed: The Quartz agreement cannot be terminated without paying 81,000 pounds.
denied: We can terminate the Quartz agreement without paying 18,000 pounds.

said: Take the Lisbon supplier instead of the Porto one for order 614.
kept: Order 614: the Lisbon supplier instead of the Porto one.
reworded: For order 614 Lisbon supplies us, Porto does not.
changed: Order 641: the Lisbon supplier instead of the Porto one.
denied: Take the Porto supplier instead of the Lisbon one for order 614.

said: Invoice 20-118 is unpaid since April.
kept: Invoice 20-118 has not been paid since April.
reworded: Nobody has settled invoice 20-118 since April.
changed: Invoice 20-181 is unpaid since April.
denied: Invoice 20-118 is paid since April.

# operations
said: Pump 6 in Northgate was replaced with a Grundfos model on 11 July.
kept: Pump 6 in Northgate replaced with a Grundfos model on 11 July.
reworded: Since 11 July a Grundfos runs in place of the old pump 6 at Northgate.
changed: Pump 9 in Northgate replaced with a Grundfos model on 11 July.
denied: Pump 6 in Northgate was never replaced with a Grundfos model.

said: The backup of orders_db finished at 02:15 and Samira verified it.
kept: Backup of orders_db finished at 02:15, verified by Samira.
reworded: Samira found the orders_db backup of 02:15 complete.
changed: Backup of orders_db finished at 03:45, verified by Samira.
denied: The backup of orders_db did not finish at 02:15 and Samira did not verify it.

said: Valve V12 is open, do not touch it until Olufemi is back.
kept: Valve V12 is open; not to be touched until Olufemi is back.
reworded: Leave V12 as it is, open, and wait for Olufemi.
changed: Valve V21 is open, do not touch it until Olufemi is back.
denied: Valve V12 is closed, do not touch it until Olufemi is back.

said: Alert rule disk_full was added to cluster Hydra.
kept: Alert rule disk_full added to cluster Hydra.
reworded: Cluster Hydra now warns by disk_full.
changed: Alert rule disk_full added to cluster Lyra.
denied: Alert rule disk_full was removed from cluster Hydra.

said: Shift B always checks the oil pressure before 5:30.
kept: Shift B always checks the oil pressure before 5:30.
reworded: Checking oil pressure is done by shift B every day ahead of 5:30.
changed: Shift B always checks the oil pressure before 6:30.
denied: Shift B never checks the oil pressure before 5:30.

said: The failover to Dublin takes less than 40 seconds.
kept: The failover to Dublin takes less than 40 seconds.
reworded: In below 40 seconds everything is over in Dublin.
changed: The failover to Dublin takes less than 90 seconds.
denied: The failover to Dublin takes more than 40 seconds.

said: Conveyor 4 fails to stop when the mat switch is pressed.
kept: Conveyor 4 does not stop when the mat switch is pressed.
reworded: Pressing the mat switch has no effect on conveyor 4.
changed: Conveyor 8 fails to stop when the mat switch is pressed.
denied: Conveyor 4 stops when the mat switch is pressed.

said: Tunnel lighting on line U5 was increased to 180 lux.
kept: Tunnel lighting on line U5 increased to 180 lux.
reworded: Line U5 has brighter tunnels now, 180 lux.
changed: Tunnel lighting on line U5 increased to 130 lux.
denied: Tunnel lighting on line U5 was decreased to 180 lux.

# museum
said: Painting 88 hangs in the Velvet Room, insured for 3 million.
kept: Painting 88 hangs in the Velvet Room, insured for 3 million.
reworded: The Velvet Room shows painting 88; insurance covers 3 million.
changed: Painting 88 hangs in the Velvet Room, insured for 8 million.
denied: Painting 88 does not hang in the Velvet Room and is not insured for 3 million.

said: Curator Halloran doesn't lend the amphora to Trieste.
kept: Curator Halloran does not lend the amphora to Trieste.
reworded: The amphora stays here, Halloran turned Trieste down.
changed: Curator Halloran doesn't lend the amphora to Genoa.
denied: Curator Halloran lends the amphora to Trieste.

said: The humidity logger in case 31 works again, no action needed.
kept: Humidity logger in case 31 works again.
reworded: Case 31 has a running humidity logger again and nobody has to do anything.
changed: Humidity logger in case 13 works again.
denied: The humidity logger in case 31 does not work.

said: Die Restauratorin Falkenberg hat das Triptychon am 2. Mai freigegeben.
kept: Das Triptychon wurde am 2. Mai von Falkenberg freigegeben.
reworded: Von Falkenberg kam am 2. Mai die Freigabe für das Triptychon.
changed: Das Triptychon wurde am 7. Mai von Falkenberg freigegeben.
denied: Die Restauratorin Falkenberg hat das Triptychon am 2. Mai nicht freigegeben.

said: La salle 5 est ouverte depuis le 10 avril, dit Monsieur Beaulieu.
kept: La salle 5 est ouverte depuis le 10 avril (Monsieur Beaulieu).
reworded: Selon Beaulieu, on entre dans la salle 5 depuis le 10 avril.
changed: La salle 5 est ouverte depuis le 18 avril (Monsieur Beaulieu).
denied: La salle 5 n'est pas ouverte depuis le 10 avril, dit Monsieur Beaulieu.

said: 王芳批准了8号展厅的预算。
kept: 王芳批准了8号展厅的预算。
reworded: 8号展厅的预算得到王芳的同意。
changed: 王芳批准了6号展厅的预算。
denied: 王芳没有批准8号展厅的预算。

said: 佐藤さんは4月2日に展示室を開けます。
kept: 佐藤さんは4月2日に展示室を開けます。
reworded: 展示室は4月2日から佐藤さんが開ける予定です。
changed: 佐藤さんは4月9日に展示室を開けます。
denied: 佐藤さんは4月2日に展示室を開けません。
`)
