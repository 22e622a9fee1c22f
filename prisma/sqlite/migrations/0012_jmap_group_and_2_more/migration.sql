-- DropIndex
DROP INDEX "JmapUserValue_userId_idx";

-- CreateTable
CREATE TABLE "JmapGroup" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "created" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "JmapMember" (
    "userId" TEXT NOT NULL,
    "groupId" TEXT NOT NULL,

    PRIMARY KEY ("userId", "groupId")
) WITHOUT ROWID;

-- CreateIndex
CREATE UNIQUE INDEX "JmapGroup_name_key" ON "JmapGroup"("name");

-- CreateIndex
CREATE INDEX "JmapMember_groupId_idx" ON "JmapMember"("groupId");
