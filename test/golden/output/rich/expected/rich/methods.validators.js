// Generated from capabilities/rich.yaml by `npm run generate`. Change the descriptor, not this file.

import { codePointLength as func0, keepIssue } from 'jmapsmith/capability';
export const gadgetRebuildArguments = validate0;
const schema0 = {"$id":"gadgetRebuildArguments","type":"object","required":["accountId","id"],"properties":{"accountId":{"type":"string","pattern":"^[A-Za-z0-9_-]{1,255}$"},"id":{"type":"string","pattern":"^[A-Za-z0-9_-]{1,255}$"},"at":{"type":"object","title":"Address","properties":{"street":{"type":"string","maxLength":100},"floor":{"type":["integer","null"]}},"additionalProperties":false}},"additionalProperties":false};
const pattern0 = new RegExp("^[A-Za-z0-9_-]{1,255}$", "u");
function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="gadgetRebuildArguments" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.accountId === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "accountId"},message:"must have required property '"+"accountId"+"'"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
if(data.id === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "id"},message:"must have required property '"+"id"+"'"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
for(const key0 in data){
if(!(((key0 === "accountId") || (key0 === "id")) || (key0 === "at"))){
const err2 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
if(data.accountId !== undefined){
let data0 = data.accountId;
if(typeof data0 === "string"){
if(!pattern0.test(data0)){
const err3 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{1,255}$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{1,255}$"+"\""};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
else {
const err4 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
}
if(data.id !== undefined){
let data1 = data.id;
if(typeof data1 === "string"){
if(!pattern0.test(data1)){
const err5 = {instancePath:instancePath+"/id",schemaPath:"#/properties/id/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9_-]{1,255}$"},message:"must match pattern \""+"^[A-Za-z0-9_-]{1,255}$"+"\""};
vErrors = keepIssue(vErrors, err5);
errors++;
}
}
else {
const err6 = {instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
}
if(data.at !== undefined){
let data2 = data.at;
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
for(const key1 in data2){
if(!((key1 === "street") || (key1 === "floor"))){
const err7 = {instancePath:instancePath+"/at",schemaPath:"#/properties/at/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err7);
errors++;
}
}
if(data2.street !== undefined){
let data3 = data2.street;
if(typeof data3 === "string"){
if(func0(data3) > 100){
const err8 = {instancePath:instancePath+"/at/street",schemaPath:"#/properties/at/properties/street/maxLength",keyword:"maxLength",params:{limit: 100},message:"must NOT have more than 100 characters"};
vErrors = keepIssue(vErrors, err8);
errors++;
}
}
else {
const err9 = {instancePath:instancePath+"/at/street",schemaPath:"#/properties/at/properties/street/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err9);
errors++;
}
}
if(data2.floor !== undefined){
let data4 = data2.floor;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (data4 !== null)){
const err10 = {instancePath:instancePath+"/at/floor",schemaPath:"#/properties/at/properties/floor/type",keyword:"type",params:{type: schema0.properties.at.properties.floor.type},message:"must be integer,null"};
vErrors = keepIssue(vErrors, err10);
errors++;
}
}
}
else {
const err11 = {instancePath:instancePath+"/at",schemaPath:"#/properties/at/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err11);
errors++;
}
}
}
else {
const err12 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err12);
errors++;
}
validate0.errors = vErrors;
return errors === 0;
}
export const gadgetRebuildResponse = validate1;
const schema1 = {"$id":"gadgetRebuildResponse","type":"object","properties":{"accountId":{"type":"string"},"rebuilt":{"type":"boolean"}},"additionalProperties":false};
function validate1(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="gadgetRebuildResponse" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!((key0 === "accountId") || (key0 === "rebuilt"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
if(data.accountId !== undefined){
if(typeof data.accountId !== "string"){
const err1 = {instancePath:instancePath+"/accountId",schemaPath:"#/properties/accountId/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
}
if(data.rebuilt !== undefined){
if(typeof data.rebuilt !== "boolean"){
const err2 = {instancePath:instancePath+"/rebuilt",schemaPath:"#/properties/rebuilt/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
}
else {
const err3 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
validate1.errors = vErrors;
return errors === 0;
}
