// The examples: a label and a text each.

export const STORIES = [
  ["In total", "Mike picked 7 apples. Nancy picked 3 apples and Keith picked 6 apples at the farm. In total, how many apples were picked?"],
  ["What is left", "Ella had 53 stickers. She gave 17 of them to her brother. How many stickers does she have left?"],
  ["Equal groups", "A train has 8 coaches with 60 seats in each coach. How many seats does the train have?"],
  ["Sharing", "Omar shares 42 marbles equally among 6 friends. How many marbles does each friend get?"],
  ["Two steps", "Mia had 30 beads. She made 4 rings with 5 beads each. How many beads are left?"],
  ["Irrelevant number", "Lena is 9 years old. She bought 12 pens and 5 rulers. How many things did she buy?"],
  ["Decimals", "A notebook costs $2.75 and a pencil costs $0.60. How much do they cost together?"],
  ["A known number", "Al jogs 3 miles a day. How far does he jog in a week?"],
  ["Used twice", "Lily has 8 pens, Ben has 5 more than Lily. How many pens do they have together?"],
  ["Rounded up", "130 children travel in buses that hold 40 each. How many buses are needed?"],
  ["Percent", "A shirt costs $40. It is reduced by 25 %. What does it cost now?"],
  ["Times of day", "A train leaves at 9:40 and arrives at 11:15. How many minutes does the journey take?"],
];

export const SYSTEMS = [
  ["Ages", "Ben is twice as old as Eva. Together they are 36. How old is each?"],
  ["Tickets", "Tickets cost $4 for students and $6 for others. 525 were sold for $2,876. How many of each were sold?"],
  ["Coins", "A jar holds 20 coins, dimes and quarters, worth $3.20. How many dimes are there?"],
  ["Sum and difference", "The sum of two numbers is 20 and their difference is 4. What is the larger number?"],
  ["Consecutive", "The sum of three consecutive odd numbers is 69. What are the numbers?"],
  ["Unsure", "Sam is twice as old as Ben. In 5 years their ages add up to 40. How old is Sam now?"],
];

export const SENTENCES = [
  ["Two numbers", "3 times one of the numbers is 11 less than 5 times the other."],
  ["The DAX", "Germany's DAX opens 0.7% lower at 10,842."],
  ["Twice", "Twice a number is 18 more than the number."],
  ["Sum", "The sum of two numbers is 25."],
];
